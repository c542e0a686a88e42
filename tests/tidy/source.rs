//! A partial parser of Rust source for the rules.

/// Blanks comments and the contents of literals in Rust source, and keeps the line numbers.
pub(crate) fn code_only(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (length, filler) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), ' ')
        } else if rest.starts_with("/*") {
            (block_comment(rest), ' ')
        } else if first == '"' {
            (quoted(rest, '"'), '"')
        } else if let Some(length) = raw_string(rest, code.chars().next_back()) {
            (length, '"')
        } else if let Some(length) = character(rest) {
            (length, '"')
        } else {
            code.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        code.extend(rest[..length].chars().map(|c| if c == '\n' { '\n' } else { filler }));
        rest = &rest[length..];
    }
    code
}

/// Returns the length of the block comment at the start of `text`, including nested ones, in bytes.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < text.len() {
        let step = match text.as_bytes()[at..] {
            [b'/', b'*', ..] => {
                depth += 1;
                2
            }
            [b'*', b'/', ..] => {
                depth -= 1;
                2
            }
            _ => 1,
        };
        at += step;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Returns the length of the literal in `mark` quotes at the start of `text`, in bytes.
fn quoted(text: &str, mark: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if !escaped && c == mark {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// Returns the length of the raw string at the start of `text`, if any, in bytes.
fn raw_string(text: &str, before: Option<char>) -> Option<usize> {
    let word_goes_on = before.is_some_and(|c| c.is_alphanumeric() || c == '_') && before != Some('b');
    let after = text.strip_prefix('r').filter(|_| !word_goes_on)?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    let inside = after[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let opening = text.len() - inside.len();
    Some(inside.find(&end).map_or(text.len(), |at| opening + at + end.len()))
}

/// Returns the length of the character literal at the start of `text`, in bytes; `None` for a lifetime.
fn character(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('\'')?;
    if inside.starts_with('\\') {
        return Some(quoted(text, '\''));
    }
    let first = inside.chars().next()?;
    inside[first.len_utf8()..].starts_with('\'').then_some(first.len_utf8() + 2)
}

/// Finds the first step of every path that starts with `root`, or with `root` and any number of `super`.
pub(crate) fn first_steps<'a>(code: &'a str, root: &'a str) -> impl Iterator<Item = (usize, String)> + 'a {
    let chain_goes_back = |at: &usize| code[..*at].ends_with("super::");
    words(code, root).filter(move |at| !chain_goes_back(at)).flat_map(move |at| {
        let path = code[at + root.len()..].trim_start_matches("super::");
        let path_at = code.len() - code[at + root.len()..].len();
        heads(path).into_iter().map(move |(offset, name)| (path_at + offset, name))
    })
}

/// Returns the first name of a path, or of every path of a group in braces.
fn heads(path: &str) -> Vec<(usize, String)> {
    let Some(group) = path.strip_prefix('{') else { return Vec::from_iter(head(path).map(|name| (0, name))) };
    let mut found = Vec::new();
    let (mut depth, mut starts) = (0_usize, true);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => starts = true,
            c if c.is_whitespace() => {}
            _ => {
                if std::mem::take(&mut starts) {
                    found.extend(head(&group[at..]).map(|name| (at + 1, name)));
                }
            }
        }
    }
    found
}

/// Returns the first segment of a path.
fn head(path: &str) -> Option<String> {
    let name: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

/// Finds `word` where it is not part of a longer word.
pub(crate) fn words<'a>(code: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).map(|(at, _)| at).filter(move |&at| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        !(before.is_some_and(joins) || word.ends_with(joins) && after.is_some_and(joins))
    })
}

/// Returns the lines with their numbers from 1.
pub(crate) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line))
}

/// Returns the line, from 1, of a position in the text.
pub(crate) fn line_of(code: &str, at: usize) -> usize {
    code[..at].matches('\n').count() + 1
}
