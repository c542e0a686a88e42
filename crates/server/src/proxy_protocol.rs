//! The PROXY protocol, version 2: a proxy's word on whom it forwards, before the first byte of a connection.
//!
//! Source: <https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt>, section 2.2.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// What a header begins with. HTTP/2 begins with another byte.
const SIGNATURE: [u8; 12] = *b"\r\n\r\n\0\r\nQUIT\n";
/// The first byte of a header.
pub(super) const FIRST_BYTE: u8 = SIGNATURE[0];
/// The signature, version and command, family and protocol, and the length of what follows.
const FIXED_BYTES: usize = 16;
/// The most bytes after these that are read: addresses, and what else a proxy may say of a connection.
const MAX_VARIABLE_BYTES: usize = 4096;

/// Reads a header and returns the address of the client; none where the proxy speaks for itself, as in its health checks.
///
/// # Errors
/// If the bytes are no header of version 2, or more than one may have.
pub(super) async fn read_proxy_header(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<IpAddr>> {
    let mut fixed = [0; FIXED_BYTES];
    stream.read_exact(&mut fixed).await?;
    let length = usize::from(u16::from_be_bytes([fixed[14], fixed[15]]));
    if fixed[..12] != SIGNATURE || length > MAX_VARIABLE_BYTES {
        return Err(malformed_header_error());
    }
    let mut variable = vec![0; length];
    stream.read_exact(&mut variable).await?;
    parse_client_address(fixed[12], fixed[13], &variable)
}

/// Reads the source out of a header: its thirteenth byte, its fourteenth, and what follows its length.
fn parse_client_address(
    version_and_command: u8,
    family_and_protocol: u8,
    variable: &[u8],
) -> io::Result<Option<IpAddr>> {
    match version_and_command {
        0x20 => return Ok(None),
        0x21 => {}
        _ => return Err(malformed_header_error()),
    }
    match family_and_protocol >> 4 {
        // Unspecified, and sockets of the proxy's own machine.
        0 | 3 => Ok(None),
        1 => {
            let source = variable.get(..12).and_then(|addresses| addresses.first_chunk::<4>());
            source.map(|source| Some(Ipv4Addr::from(*source).into())).ok_or_else(malformed_header_error)
        }
        2 => {
            let source = variable.get(..36).and_then(|addresses| addresses.first_chunk::<16>());
            source.map(|source| Some(Ipv6Addr::from(*source).into())).ok_or_else(malformed_header_error)
        }
        _ => Err(malformed_header_error()),
    }
}

fn malformed_header_error() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "no header of the PROXY protocol, version 2")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(version_and_command: u8, family: u8, variable: &[u8]) -> Vec<u8> {
        let length = u16::try_from(variable.len()).unwrap().to_be_bytes();
        [&SIGNATURE[..], &[version_and_command, family], &length, variable].concat()
    }

    async fn read(bytes: &[u8]) -> Result<(Option<String>, usize), io::ErrorKind> {
        let mut rest = bytes;
        let client = read_proxy_header(&mut rest).await.map_err(|error| error.kind())?;
        Ok((client.map(|client| client.to_string()), rest.len()))
    }

    #[tokio::test]
    async fn the_source_is_read_and_nothing_after_the_header() {
        let ipv4 = [192, 0, 2, 7, 10, 0, 0, 1, 0, 80, 0, 81];
        let mut ipv6 = [0; 36];
        ipv6[..2].copy_from_slice(&[0x20, 1]);
        ipv6[15] = 9;
        let with_more = [&ipv4[..], &[3, 0, 1, 7]].concat();
        let cases = [
            (header(0x21, 0x11, &ipv4), Some("192.0.2.7")),
            (header(0x21, 0x11, &with_more), Some("192.0.2.7")),
            (header(0x21, 0x21, &ipv6), Some("2001::9")),
            (header(0x20, 0x00, &[]), None),
            (header(0x21, 0x00, &[1, 2]), None),
            (header(0x21, 0x31, &[0; 216]), None),
        ];
        for (mut bytes, client) in cases {
            bytes.extend(b"PRI *");
            assert_eq!(read(&bytes).await, Ok((client.map(str::to_owned), 5)), "{bytes:?}");
        }
    }

    #[tokio::test]
    async fn what_is_no_header_is_refused() {
        let ipv4 = [0; 12];
        let mut endless = header(0x21, 0x11, &ipv4);
        endless[14..16].copy_from_slice(&[0xff, 0xff]);
        endless.resize(80_000, 0);
        let mut signature = header(0x21, 0x11, &ipv4);
        signature[11] = b'!';
        for bytes in [
            endless,
            signature,
            header(0x11, 0x11, &ipv4),
            header(0x22, 0x11, &ipv4),
            header(0x21, 0x41, &ipv4),
            header(0x21, 0x11, &ipv4[..11]),
            header(0x21, 0x21, &[0; 35]),
        ] {
            assert_eq!(read(&bytes).await, Err(io::ErrorKind::InvalidData), "{bytes:?}");
        }
        let cut = &header(0x21, 0x11, &ipv4)[..20];
        assert_eq!(read(cut).await, Err(io::ErrorKind::UnexpectedEof));
    }
}
