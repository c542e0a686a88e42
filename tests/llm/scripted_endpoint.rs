//! A scripted endpoint for chat completions.

use serde_json::{Value, json};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    time::{Instant, sleep},
};

/// The pause between repeated parts of a reply.
const PIECE_INTERVAL: Duration = Duration::from_millis(10);

/// A call as the endpoint received it.
#[derive(Debug, Clone)]
pub struct Call {
    /// The first line and the headers, in lower case.
    pub head: String,
    pub body: Value,
    pub at: Instant,
}

impl Call {
    fn is_probe(&self) -> bool {
        self.last_message().starts_with("This only checks the connection.")
    }

    /// Returns the text of the last message.
    pub fn last_message(&self) -> &str {
        self.body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap()
    }
}

/// A reply, after which the connection closes.
#[derive(Debug, Clone)]
pub enum Reply {
    /// These bytes.
    Bytes(Vec<u8>),
    /// These bytes, once this many calls have arrived.
    AfterCalls(usize, Vec<u8>),
    /// These bytes, then nothing until the client disconnects.
    ThenNothing(Vec<u8>),
    /// These bytes, then the others repeatedly until the client disconnects.
    Endless(Vec<u8>, Vec<u8>),
    /// The same with a pause of 10 ms before each of the others.
    Repeated(Vec<u8>, Vec<u8>),
}

type Script = dyn Fn(usize, &Call) -> Reply + Send + Sync;

/// The endpoint. It stops with the runtime of its test.
pub struct ScriptedEndpoint {
    /// The base URL.
    pub url: String,
    calls: Arc<Mutex<Vec<Call>>>,
    /// Receives a message for each client that disconnected before the end of its reply.
    pub lost: mpsc::UnboundedReceiver<()>,
    /// The current and the maximum number of simultaneous calls.
    max_open: Arc<Mutex<(usize, usize)>>,
}

impl ScriptedEndpoint {
    /// Starts an endpoint that answers probes; the script gets the number of each other call, from 0.
    pub async fn start(script: impl Fn(usize, &Call) -> Reply + Send + Sync + 'static) -> Self {
        Self::listen(script, |call| call.is_probe().then(|| completion("{\"ready\": true}"))).await
    }

    /// Starts an endpoint whose script also gets probes.
    pub async fn start_with_probes(script: impl Fn(usize, &Call) -> Reply + Send + Sync + 'static) -> Self {
        Self::listen(script, |_| None).await
    }

    async fn listen(
        script: impl Fn(usize, &Call) -> Reply + Send + Sync + 'static,
        answer_probe: fn(&Call) -> Option<Reply>,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (calls, max_open) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new((0, 0))));
        let (sender, lost) = mpsc::unbounded_channel();
        let endpoint = Self { url, calls: Arc::clone(&calls), lost, max_open: Arc::clone(&max_open) };
        let script: Arc<Script> = Arc::new(script);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (script, calls) = (Arc::clone(&script), Arc::clone(&calls));
                let (sender, max_open) = (sender.clone(), Arc::clone(&max_open));
                tokio::spawn(async move {
                    if !serve_client(stream, &*script, answer_probe, &calls, &max_open).await {
                        let _ = sender.send(());
                    }
                });
            }
        });
        endpoint
    }

    /// Starts an endpoint that sends these replies in order, and repeats the last one.
    pub async fn with_replies(replies: Vec<Reply>) -> Self {
        Self::start(move |number, _| replies[number.min(replies.len() - 1)].clone()).await
    }

    pub fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    pub fn max_open(&self) -> usize {
        self.max_open.lock().unwrap().1
    }
}

/// Serves a call; returns false if the client disconnected early.
async fn serve_client(
    mut stream: TcpStream,
    script: &Script,
    answer_probe: fn(&Call) -> Option<Reply>,
    calls: &Mutex<Vec<Call>>,
    max_open: &Mutex<(usize, usize)>,
) -> bool {
    let Some(call) = read_call(&mut stream).await else { return true };
    if let Some(reply) = answer_probe(&call) {
        let was_whole = send_reply(&mut stream, reply, || 0).await;
        let _ = stream.shutdown().await;
        return was_whole;
    }
    let number = {
        let mut calls = calls.lock().unwrap();
        calls.push(call.clone());
        calls.len() - 1
    };
    {
        let mut open = max_open.lock().unwrap();
        open.0 += 1;
        open.1 = open.1.max(open.0);
    }
    let reply = script(number, &call);
    let count_calls = || calls.lock().unwrap().len();
    let was_whole = send_reply(&mut stream, reply, count_calls).await;
    max_open.lock().unwrap().0 -= 1;
    let _ = stream.shutdown().await;
    was_whole
}

async fn send_reply(stream: &mut TcpStream, reply: Reply, count_calls: impl Fn() -> usize) -> bool {
    match reply {
        Reply::Bytes(bytes) => stream.write_all(&bytes).await.is_ok(),
        Reply::AfterCalls(calls, bytes) => {
            while count_calls() < calls {
                tokio::task::yield_now().await;
            }
            stream.write_all(&bytes).await.is_ok()
        }
        Reply::ThenNothing(bytes) => {
            let _ = stream.write_all(&bytes).await;
            // Reading ends when the client disconnects.
            let mut rest = [0; 16];
            while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
            false
        }
        Reply::Repeated(head, piece) => {
            let mut sent = stream.write_all(&head).await;
            while sent.is_ok() {
                sleep(PIECE_INTERVAL).await;
                sent = stream.write_all(&piece).await;
            }
            false
        }
        Reply::Endless(head, piece) => {
            let mut sent = stream.write_all(&head).await;
            while sent.is_ok() {
                sent = stream.write_all(&piece).await;
            }
            false
        }
    }
}

/// Reads a call; `None` if the client disconnected.
async fn read_call(stream: &mut TcpStream) -> Option<Call> {
    let (mut bytes, mut piece) = (Vec::new(), [0; 8192]);
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            if bytes.len() >= end + 4 + length.parse::<usize>().unwrap() {
                let body = serde_json::from_slice(&bytes[end + 4..]).unwrap();
                return Some(Call { head, body, at: Instant::now() });
            }
        }
        match stream.read(&mut piece).await {
            Ok(read) if read > 0 => bytes.extend_from_slice(&piece[..read]),
            _ => return None,
        }
    }
}

/// Creates a response with its length.
pub fn response(status: &str, headers: &str, body: &str) -> Reply {
    let length = body.len();
    let text =
        format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}");
    Reply::Bytes(text.into_bytes())
}

/// Creates a whole reply.
pub fn completion(text: &str) -> Reply {
    finished(&json!({ "role": "assistant", "content": text }), "stop")
}

/// Answers any question: the standard row of two seats, or one counter.
pub fn simplest_answer(call: &Call) -> Reply {
    let is_row = call.last_message().contains("which row do you declare?");
    streamed(if is_row { "{\"row\": [0, 1]}" } else { "{\"take\": 1}" })
}

/// Creates a whole reply with any message.
pub fn finished(message: &Value, reason: &str) -> Reply {
    let usage = json!({
        "prompt_tokens": 100, "completion_tokens": 20, "completion_tokens_details": { "reasoning_tokens": 8 },
    });
    let body = json!({ "choices": [{ "message": message, "finish_reason": reason }], "usage": usage });
    response("200 OK", "content-type: application/json\r\n", &body.to_string())
}

/// The head of a stream that ends with the connection.
pub const STREAM_HEAD: &str =
    "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream; charset=utf-8\r\n\r\n";

/// Creates an event of a stream with a part of the text.
pub fn stream_event(text: &str) -> String {
    format!(
        "data: {}\n\n",
        json!({ "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": null }] })
    )
}

/// Creates the end of a stream, with token counts.
pub fn stream_end() -> String {
    let end = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] });
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 100, "completion_tokens": 20 } });
    format!("data: {end}\n\ndata: {usage}\n\ndata: [DONE]\n\n")
}

/// Creates a streamed reply.
pub fn streamed(text: &str) -> Reply {
    let (first, second) = text.split_at(text.len() / 2);
    let events =
        [": thinking\n\n".to_owned(), stream_event(first), stream_event(second), stream_end()].concat();
    Reply::Bytes(format!("{STREAM_HEAD}{events}").into_bytes())
}
