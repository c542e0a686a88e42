//! Published transcripts in a store.

use crate::played::{bots, match_changes, match_id, play_match};
use crate::test_database::TestDatabase;
use lastnim_core::game::{Seat, SeatCount};
use lastnim_core::referee::Timestamp;
use lastnim_store::{Change, QuestionPlace, StoreError, StoredTranscript, TranscriptHead};
use std::sync::Arc;

fn seat(index: usize) -> Seat {
    SeatCount::new(3).unwrap().seat(index).unwrap()
}

fn transcript(id: u64, place: (usize, Option<u32>), at: u64, lines: &str) -> StoredTranscript {
    let place = QuestionPlace { seat: seat(place.0), ply: place.1 };
    let published_at = Timestamp::from_micros(at);
    StoredTranscript { match_id: match_id(id), place, published_at, lines: lines.into() }
}

fn head(stored: &StoredTranscript) -> TranscriptHead {
    let &StoredTranscript { place, published_at, ref lines, .. } = stored;
    TranscriptHead { place, published_at, bytes: lines.len() as u64 }
}

pub fn transcripts_are_kept_by_question(database: &TestDatabase) {
    let store = database.open();
    for id in [1, 2] {
        database.write(&store, &match_changes(&play_match(match_id(id), bots(0..3), None, id, u32::MAX)));
    }
    let published = [
        transcript(1, (0, None), 5, "row\n"),
        transcript(1, (0, Some(0)), 6, "{\"why\":\"\\u0000 \u{e9}\u{1f600}\"}\n"),
        transcript(1, (0, Some(10)), 7, "take\n"),
        transcript(1, (2, Some(2)), 8, "another seat\n"),
    ];
    let publish = |stored: &StoredTranscript| Change::TranscriptPublished(Arc::new(stored.clone()));
    let listed_transcripts = |id| database.run(store.transcripts(match_id(id))).unwrap();
    let read =
        |stored: &StoredTranscript| database.run(store.transcript(stored.match_id, stored.place)).unwrap();
    assert_eq!(listed_transcripts(1), []);
    // The transcripts are not in the order of the lists, and are written twice.
    let changes: Vec<_> = published.iter().rev().map(publish).collect();
    for _ in 0..2 {
        database.write(&store, &changes);
    }
    assert_eq!(listed_transcripts(1), published.each_ref().map(head));
    assert_eq!(listed_transcripts(2), []);
    assert_eq!(listed_transcripts(9), [], "of an unknown match");
    for stored in &published {
        assert_eq!(read(stored).as_ref(), Some(stored));
    }
    assert_eq!(read(&transcript(2, (0, None), 0, "")), None);
    let other_bytes = |id, index, ply| {
        let question = QuestionPlace { seat: seat(index), ply };
        database.run(store.other_transcript_bytes(match_id(id), question))
    };
    let bytes = published.each_ref().map(|stored| stored.lines.len() as u64);
    assert_eq!(other_bytes(1, 0, None), Ok(bytes[1] + bytes[2]));
    assert_eq!(other_bytes(1, 0, Some(10)), Ok(bytes[0] + bytes[1]));
    assert_eq!(other_bytes(1, 0, Some(3)), Ok(bytes[0] + bytes[1] + bytes[2]));
    assert_eq!(
        [(1, 1), (1, 2), (2, 0), (9, 0)].map(|(id, index)| other_bytes(id, index, Some(2))),
        [const { Ok(0) }; 4]
    );
    let newer = transcript(1, (0, Some(10)), 9, "the same take\n");
    database.write(&store, &[publish(&newer)]);
    assert_eq!(read(&newer).as_ref(), Some(&newer));
    database.write(&store, &[Change::TranscriptRemoved { match_id: match_id(1), seat: seat(0) }]);
    assert_eq!(listed_transcripts(1), [head(&published[3])]);
    // They are removed with the record.
    database.write(&store, &[publish(&transcript(2, (1, None), 1, "row\n"))]);
    let ids = vec![match_id(1)];
    database.write(&store, &[Change::RecordsPruned { ids, at: Timestamp::from_micros(20) }]);
    assert_eq!((listed_transcripts(1).len(), listed_transcripts(2).len()), (0, 1));
    assert_eq!(other_bytes(1, 1, None), Err(StoreError::Pruned(match_id(1))));
    assert_eq!(other_bytes(2, 1, Some(1)), Ok("row\n".len() as u64));
}
