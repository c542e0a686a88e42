//! The PROXY protocol, version 2: a proxy announces its client before the first byte of a connection.
//!
//! Source: <https://www.haproxy.org/download/2.9/doc/proxy-protocol.txt>, section 2.2.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use tokio::io::{AsyncRead, AsyncReadExt as _};

/// The start of a header. HTTP/2 starts with a different byte.
const SIGNATURE: [u8; 12] = *b"\r\n\r\n\0\r\nQUIT\n";
/// The first byte of a header, which tells it apart from other starts of a connection.
pub(super) const FIRST_BYTE: u8 = SIGNATURE[0];
/// The size of the fixed part: the signature, version and command, family and protocol, and the length of the rest.
const FIXED_BYTES: usize = 16;
/// The maximum size of the rest, which holds addresses and further information.
const MAX_VARIABLE_BYTES: usize = 4096;

/// Reads a header and returns the client's address; `None` if the proxy connects on its own behalf, for example for a
/// health check.
///
/// # Errors
/// If the bytes are not a header of version 2, or the header is too long.
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

/// Parses the source address from bytes 13 and 14 of a header, and the bytes that follow its length field.
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
        // These are unspecified addresses and Unix sockets.
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
    io::Error::new(io::ErrorKind::InvalidData, "not a PROXY protocol header (version 2)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header_bytes(version_and_command: u8, family: u8, variable: &[u8]) -> Vec<u8> {
        let length = u16::try_from(variable.len()).unwrap().to_be_bytes();
        [&SIGNATURE[..], &[version_and_command, family], &length, variable].concat()
    }

    async fn read_client(bytes: &[u8]) -> Result<(Option<String>, usize), io::ErrorKind> {
        let mut rest = bytes;
        let client = read_proxy_header(&mut rest).await.map_err(|error| error.kind())?;
        Ok((client.map(|client| client.to_string()), rest.len()))
    }

    #[tokio::test]
    async fn the_proxy_header_is_read_and_no_byte_after_it() {
        let ipv4 = [192, 0, 2, 7, 10, 0, 0, 1, 0, 80, 0, 81];
        let mut ipv6 = [0; 36];
        ipv6[..2].copy_from_slice(&[0x20, 1]);
        ipv6[15] = 9;
        let longer_body = [&ipv4[..], &[3, 0, 1, 7]].concat();
        let cases = [
            (header_bytes(0x21, 0x11, &ipv4), Some("192.0.2.7")),
            (header_bytes(0x21, 0x11, &longer_body), Some("192.0.2.7")),
            (header_bytes(0x21, 0x21, &ipv6), Some("2001::9")),
            (header_bytes(0x20, 0x00, &[]), None),
            (header_bytes(0x21, 0x00, &[1, 2]), None),
            (header_bytes(0x21, 0x31, &[0; 216]), None),
        ];
        for (mut bytes, client) in cases {
            bytes.extend(b"PRI *");
            assert_eq!(read_client(&bytes).await, Ok((client.map(str::to_owned), 5)), "{bytes:?}");
        }
    }

    #[tokio::test]
    async fn malformed_proxy_headers_are_rejected() {
        let ipv4 = [0; 12];
        let mut endless = header_bytes(0x21, 0x11, &ipv4);
        endless[14..16].copy_from_slice(&[0xff, 0xff]);
        endless.resize(80_000, 0);
        let mut signature = header_bytes(0x21, 0x11, &ipv4);
        signature[11] = b'!';
        for bytes in [
            endless,
            signature,
            header_bytes(0x11, 0x11, &ipv4),
            header_bytes(0x22, 0x11, &ipv4),
            header_bytes(0x21, 0x41, &ipv4),
            header_bytes(0x21, 0x11, &ipv4[..11]),
            header_bytes(0x21, 0x21, &[0; 35]),
        ] {
            assert_eq!(read_client(&bytes).await, Err(io::ErrorKind::InvalidData), "{bytes:?}");
        }
        let cut = &header_bytes(0x21, 0x11, &ipv4)[..20];
        assert_eq!(read_client(cut).await, Err(io::ErrorKind::UnexpectedEof));
    }
}
