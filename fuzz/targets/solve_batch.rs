//! The lines of `oracle solve --batch`: each nonblank line has one answer.

use lastnim::fuzzing::answer_batch;

pub fn check(input: &[u8]) {
    let answers = answer_batch(input);
    let blank = |line: &&[u8]| !std::str::from_utf8(line).is_ok_and(|line| line.trim().is_empty());
    let asked = input.split(|&byte| byte == b'\n').filter(blank).count();
    let answered = answers.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count();
    assert_eq!(answered, asked, "{}", String::from_utf8_lossy(&answers));
}
