//! Ids that let a caller repeat a request.

/// Returns a new id for a request, such as `CreateMatchRequest.request_id`: 32 random hexadecimal digits. A request with
/// the same id can be sent again after a lost answer without creating a second thing.
///
/// # Panics
/// If the system has no random source.
pub fn new_request_id() -> String {
    let draw = || getrandom::u64().expect("the system has a random source");
    format!("{:016x}{:016x}", draw(), draw())
}
