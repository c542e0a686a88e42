//! Where `lastnim serve` listens: at a port, or on a Unix socket.

use crate::args::listen_address::{BACKLOG, ListenAddress};
use lastnim_client::socket_path;
use lastnim_server::ServerSocket;
use std::{
    fmt,
    fs::{self, File, Metadata, Permissions, TryLockError},
    io, net,
    net::SocketAddr,
    os::unix::{
        fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _},
        net as unix_net,
    },
    path::{Path, PathBuf},
    str::FromStr,
};
use tokio::net::{TcpListener, UnixListener, UnixSocket, UnixStream};

/// The permissions of the file of a Unix socket: its owner and its group can connect.
const SOCKET_MODE: u32 = 0o660;

/// The value of `--listen`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListenPlace {
    /// A host and a port.
    Port(ListenAddress),
    /// The path of a Unix socket.
    Socket(PathBuf),
}

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoundAddress {
    /// An address and a port.
    Port(SocketAddr),
    /// The absolute path of a Unix socket.
    Socket(PathBuf),
}

/// A socket that listens. Unlike a [`ServerSocket`], it belongs to no runtime.
#[derive(Debug)]
pub enum BoundSocket {
    Tcp(net::TcpListener),
    Unix(unix_net::UnixListener, SocketFile),
}

/// The file of a Unix socket, which is removed when this is dropped, unless another file has replaced it.
#[derive(Debug)]
pub struct SocketFile {
    /// The absolute path.
    path: PathBuf,
    id: FileId,
    /// The locked file beside the socket. It stays when the server stops, since another one may already wait for it.
    _lock: File,
}

/// The device and the inode of a file.
type FileId = (u64, u64);

impl FromStr for ListenPlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match socket_path(text).map_err(|reason| format!("{text:?}: {reason}"))? {
            Some(_) if text.contains(',') => Err(format!(
                "{text:?}: clients cannot connect to a path with a comma, because a comma separates addresses: expected a path such as unix:/run/lastnim.sock"
            )),
            Some(path) => Ok(Self::Socket(path.to_owned())),
            None => text.parse().map(Self::Port).map_err(|error| format!("{error}, or unix:PATH")),
        }
    }
}

impl fmt::Display for ListenPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Port(address) => address.fmt(f),
            Self::Socket(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl ListenPlace {
    /// Listens at the port, or creates the file of the Unix socket and listens there.
    ///
    /// # Errors
    /// If the place cannot be used, or a server listens there already.
    pub async fn bind(&self) -> io::Result<BoundSocket> {
        match self {
            Self::Port(address) => Ok(BoundSocket::Tcp(address.bind().await?.into_std()?)),
            Self::Socket(path) => {
                let path = std::path::absolute(path)?;
                // The absolute path can be too long, or contain a comma, though the given one is fine.
                Self::from_str(&format!("unix:{}", path.display()))
                    .map_err(|reason| io::Error::new(io::ErrorKind::InvalidInput, reason))?;
                let lock = lock_socket(&path)?;
                remove_stale_socket(&path).await?;
                let socket = UnixSocket::new_stream()?;
                socket.bind(&path)?;
                let file = SocketFile { id: file_id(&fs::symlink_metadata(&path)?), path, _lock: lock };
                // Nobody can connect before the socket listens.
                fs::set_permissions(&file.path, Permissions::from_mode(SOCKET_MODE))?;
                Ok(BoundSocket::Unix(socket.listen(BACKLOG)?.into_std()?, file))
            }
        }
    }
}

/// Locks the file `PATH.lock`, so that of several servers only one examines and replaces the socket.
///
/// # Errors
/// If another server has locked it, or it cannot be created.
fn lock_socket(path: &Path) -> io::Result<File> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let lock = File::options().create(true).append(true).open(&name)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(socket_in_use()),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

fn socket_in_use() -> io::Error {
    let message = "another program listens on this socket: stop it, or choose another path";
    io::Error::new(io::ErrorKind::AddrInUse, message)
}

/// Removes the file of a socket on which no server listens any more.
///
/// # Errors
/// If a server listens on the socket, or the file is not a socket.
async fn remove_stale_socket(path: &Path) -> io::Result<()> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if !found.file_type().is_socket() {
        return Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "this file exists and is not a socket: choose another path",
        ));
    }
    match UnixStream::connect(path).await {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(error),
        Ok(_) | Err(_) => Err(socket_in_use()),
    }
}

fn file_id(file: &Metadata) -> FileId {
    (file.dev(), file.ino())
}

impl BoundSocket {
    /// Returns where the socket listens.
    ///
    /// # Errors
    /// If the system does not say.
    pub fn address(&self) -> io::Result<BoundAddress> {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(BoundAddress::Port),
            Self::Unix(_, file) => Ok(BoundAddress::Socket(file.path.clone())),
        }
    }

    /// Returns a listener on this socket for the runtime that is running.
    ///
    /// # Errors
    /// If the process has too many open files.
    pub fn accept_here(&self) -> io::Result<ServerSocket> {
        match self {
            Self::Tcp(listener) => TcpListener::from_std(listener.try_clone()?).map(ServerSocket::Tcp),
            Self::Unix(listener, _) => UnixListener::from_std(listener.try_clone()?).map(ServerSocket::Unix),
        }
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let is_own = fs::symlink_metadata(&self.path).is_ok_and(|found| file_id(&found) == self.id);
        if is_own && let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "the file of the socket cannot be removed");
        }
    }
}

impl BoundAddress {
    /// Returns the part that tells this server apart from others on its machine.
    pub fn local_name(&self) -> String {
        match self {
            Self::Port(address) => address.port().to_string(),
            Self::Socket(path) => path.display().to_string(),
        }
    }

    /// Returns whether only this machine can connect.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Port(address) => address.ip().is_loopback(),
            Self::Socket(_) => true,
        }
    }
}

impl fmt::Display for BoundAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Port(address) => address.fmt(f),
            Self::Socket(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_port_or_the_path_of_a_socket() {
        for text in ["127.0.0.1:0", "localhost:7600", "unix:a.sock", "unix:/run/lastnim.sock"] {
            assert_eq!(text.parse::<ListenPlace>().unwrap().to_string(), text);
        }
        let long = format!("unix:/{}", "x".repeat(108));
        for (bad, reason) in [
            ("7600", "127.0.0.1:7600"),
            ("7600", "or unix:PATH"),
            ("unix:", "the path is missing"),
            ("unix:/a,b", "a comma separates addresses"),
            (&long, "use a shorter one"),
        ] {
            let refused = bad.parse::<ListenPlace>().unwrap_err();
            assert!(refused.starts_with(&format!("{bad:?}")) && refused.contains(reason), "{refused}");
        }
    }

    #[tokio::test]
    async fn a_file_that_replaced_the_socket_stays() {
        let folder = std::env::temp_dir().join(format!("lastnim-listening-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("server.sock");
        let place: ListenPlace = format!("unix:{}", path.display()).parse().unwrap();
        let first = place.bind().await.unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, SOCKET_MODE);
        let live = place.bind().await.unwrap_err();
        assert!(live.to_string().contains("another program listens on this socket"), "{live}");
        // Another program replaces the socket.
        fs::remove_file(&path).unwrap();
        let other = unix_net::UnixListener::bind(&path).unwrap();
        drop(first);
        assert!(path.exists());
        let live = place.bind().await.unwrap_err();
        assert!(live.to_string().contains("another program listens on this socket"), "{live}");
        drop(other);
        let second = place.bind().await.unwrap();
        drop(second);
        assert!(!path.exists());
        fs::write(&path, "a letter").unwrap();
        let file = place.bind().await.unwrap_err();
        assert!(file.to_string().contains("is not a socket"), "{file}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "a letter");
        fs::remove_dir_all(&folder).unwrap();
    }
}
