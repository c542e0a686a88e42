//! Budgets, with endpoints that charge.

use super::{
    asking::{KEY, LONG, ask, fresh_file, lines_of, settings, view},
    scripted_endpoint::{Reply, STREAM_HEAD, ScriptedEndpoint, response, stream_event},
};
use lastnim_client::AsyncBot as _;
use lastnim_core::game::MatchId;
use lastnim_llm::{ApiKey, FailureClass, LlmBot, LlmError, LlmSettings};
use serde_json::json;
use std::sync::{Arc, Mutex};
use tokio::time::timeout;

/// The bill of an endpoint by model: tokens of prompts and of replies.
type Bill = Arc<Mutex<Vec<(String, u64, u64)>>>;

/// Starts an endpoint that charges for every reply, even those that it breaks off.
async fn start_billing() -> (ScriptedEndpoint, Bill) {
    let bill = Bill::default();
    let billed = Arc::clone(&bill);
    let endpoint = ScriptedEndpoint::start(move |number, call| {
        let max_tokens = call.body["max_tokens"].as_u64().unwrap();
        // No model counts more than one token per two bytes of such a prompt.
        let prompt = call.body.to_string().len() as u64 / 2;
        let completion = if number % 3 == 0 { max_tokens } else { max_tokens / 10 };
        let model = call.body["model"].as_str().unwrap().to_owned();
        match number % 5 {
            0 => return response("429 Too Many Requests", "retry-after: 0\r\n", ""),
            1 => {
                billed.lock().unwrap().push((model, prompt, completion));
                return Reply::Bytes(format!("{STREAM_HEAD}{}", stream_event("{")).into_bytes());
            }
            _ => billed.lock().unwrap().push((model, prompt, completion)),
        }
        let usage = json!({ "prompt_tokens": prompt, "completion_tokens": completion });
        let choice = json!({ "message": { "content": "{\"take\": 2}" }, "finish_reason": "stop" });
        response("200 OK", "", &json!({ "choices": [choice], "usage": usage }).to_string())
    })
    .await;
    (endpoint, bill)
}

fn make_bot(settings: &LlmSettings) -> LlmBot {
    LlmBot::with_key(settings.clone(), 0, Some(ApiKey::new(KEY))).unwrap()
}

/// Asks in several matches at once, several times in each; returns how many questions the model answered.
async fn ask_in_matches(bot: &LlmBot, matches: u64, questions: u32) -> u64 {
    let before = bot.tally().answered;
    let asking: Vec<_> = (0..matches)
        .map(|number| {
            let (bot, view) = (bot.clone(), view().with_id(MatchId::new(number, &[1; 10])));
            tokio::spawn(async move {
                for _ in 0..questions {
                    // Refusals for lack of budget are expected.
                    let _ = timeout(LONG, bot.play(&view)).await.expect("the bot does not stop asking");
                }
            })
        })
        .collect();
    for asked in asking {
        asked.await.unwrap();
    }
    bot.tally().answered - before
}

/// Returns the tokens and the money, in millionths, charged to a model, or to all if none is named.
fn billed_amount(bill: &Bill, model: Option<&str>) -> (u64, f64) {
    let bill = bill.lock().unwrap();
    let lines = bill.iter().filter(|(of, ..)| model.is_none_or(|model| of == model));
    let (prompt, completion) = lines.fold((0, 0), |sum, line| (sum.0 + line.1, sum.1 + line.2));
    (prompt + completion, f64::from(u32::try_from(prompt * 3 + completion * 15).unwrap()))
}

fn priced_settings(endpoint: &ScriptedEndpoint) -> LlmSettings {
    LlmSettings {
        max_tokens: 1_000,
        retries: 3,
        prompt_price: Some(3.into()),
        completion_price: Some(15.into()),
        ..settings(endpoint)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bills_never_exceed_a_budget() {
    for (token_budget, budget) in [(Some(60_000), None), (None, Some("0.25"))] {
        let (endpoint, bill) = start_billing().await;
        let settings = LlmSettings {
            token_budget,
            budget: budget.map(|money: &str| money.parse().unwrap()),
            ledger: Some(fresh_file("ledger")),
            ..priced_settings(&endpoint)
        };
        let bot = make_bot(&settings);
        let answered = ask_in_matches(&bot, 8, 6).await;
        assert!(answered > 3, "{}", bot.tally());
        assert!(bot.tally().unanswered[&FailureClass::Budget] > 0, "{}", bot.tally());
        // Another start of the bot knows the earlier spending.
        drop(bot);
        let again = make_bot(&settings);
        assert_eq!(ask_in_matches(&again, 8, 6).await, 0, "{}", again.tally());
        let (tokens, money) = billed_amount(&bill, None);
        assert!(token_budget.is_none_or(|budget| tokens <= budget), "{tokens} tokens");
        assert!(budget.is_none_or(|_| money <= 250_000.0), "{money} millionths");
        assert!(again.tally().spent.tokens >= tokens);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_match_has_its_own_budget() {
    let (endpoint, bill) = start_billing().await;
    let settings = LlmSettings { match_token_budget: Some(15_000), ..priced_settings(&endpoint) };
    let bot = make_bot(&settings);
    assert!(ask_in_matches(&bot, 1, 40).await > 0);
    let spent_by_one = billed_amount(&bill, None).0;
    assert!(spent_by_one <= 15_000 && bot.tally().unanswered[&FailureClass::MatchBudget] > 0);
    assert!(ask_in_matches(&bot, 3, 40).await > 0, "other matches have their own");
    assert!(billed_amount(&bill, None).0 <= 45_000);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bots_share_a_budget() {
    let (endpoint, bill) = start_billing().await;
    let shared_ledger = Some(fresh_file("shared"));
    let settings_for = |model: &str| LlmSettings {
        model: model.into(),
        shared_budget: Some("0.5".parse().unwrap()),
        shared_ledger: shared_ledger.clone(),
        ledger: Some(fresh_file("own")),
        ..priced_settings(&endpoint)
    };
    let (one, other) = (make_bot(&settings_for("one")), make_bot(&settings_for("other")));
    let (first, second) = tokio::join!(ask_in_matches(&one, 4, 10), ask_in_matches(&other, 4, 10));
    assert!(first + second > 3, "{} and {}", one.tally(), other.tally());
    assert!(one.tally().unanswered.contains_key(&FailureClass::Budget), "{}", one.tally());
    assert!(billed_amount(&bill, None).1 <= 500_000.0);
}

#[tokio::test]
async fn missing_token_counts_are_reported_and_cost_the_maximum() {
    let body = json!({ "choices": [{ "message": { "content": "{\"take\": 2}" }, "finish_reason": "stop" }] });
    let endpoint = ScriptedEndpoint::with_replies(vec![response("200 OK", "", &body.to_string())]).await;
    let settings = LlmSettings { tokens_per_minute: Some(100), max_tokens: 1_000, ..settings(&endpoint) };
    let bot = make_bot(&settings);
    assert_eq!(ask(&bot).await.unwrap(), 2);
    let tally = bot.tally();
    assert!(tally.to_string().contains("the endpoint did not report the tokens of 1 call"), "{tally}");
    let call = &lines_of(&settings, "call")[0];
    assert_eq!((&call["tokens"], &call["cost"]["tokens"]), (&json!(null), &json!(tally.spent.tokens)));
    let request = endpoint.calls()[0].body.to_string().len() as u64;
    assert!(tally.spent.tokens > request + 1_000, "{} of {request}", tally.spent.tokens);
    // The limit per minute does not take such a reply for a free one.
    let error = ask(&bot).await.unwrap_err().to_string();
    assert!(
        error.starts_with("queued: the limit on requests or tokens per minute requires a wait"),
        "{error}"
    );
}

#[tokio::test]
async fn budgets_in_money_need_prices() {
    let endpoint = ScriptedEndpoint::with_replies(vec![response("500 Oops", "", "")]).await;
    let refusal = |settings: LlmSettings| LlmBot::with_key(settings, 0, None).unwrap_err();
    let settings = settings(&endpoint);
    let without_prices = LlmSettings { budget: Some(1.into()), ..settings.clone() };
    assert!(matches!(refusal(without_prices), LlmError::NoPrices));
    let alone = LlmSettings { shared_token_budget: Some(1), ..settings.clone() };
    assert!(matches!(refusal(alone), LlmError::NoSharedLedger));
    let alone = LlmSettings { shared_reply_token_budget: Some(1), ..settings.clone() };
    assert!(matches!(refusal(alone), LlmError::NoSharedLedger));
    let nowhere = LlmSettings { ledger: Some("/no/such/folder/ledger".into()), ..settings };
    assert!(matches!(refusal(nowhere), LlmError::Ledger { .. }));
}
