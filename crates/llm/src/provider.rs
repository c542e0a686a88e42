//! Presets of well-known endpoints.

use super::{LlmSettings, settings::DEFAULT_ENDPOINT};
use lastnim_config::text_settings;
use reqwest::Url;
use std::{fmt, str::FromStr};
use thiserror::Error;

/// The ends of the domains under which Azure serves models. Only Azure can assign names in these domains.
const AZURE_DOMAINS: [&str; 4] =
    [".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com", ".openai.azure.us"];

/// A well-known endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Provider {
    /// The API of `OpenAI`.
    #[default]
    OpenAi,
    /// The compatible endpoint of Anthropic.
    Anthropic,
    /// The compatible endpoint of Gemini.
    Gemini,
    /// A deployment on Azure.
    Azure,
    /// `OpenRouter`, which passes calls on to other providers.
    OpenRouter,
    /// A vLLM server.
    Vllm,
    /// Ollama.
    Ollama,
    /// The server of llama.cpp.
    LlamaCpp,
}

/// An unknown provider.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?}: expected {names}", names = Provider::ALL.map(Provider::name).join(", "))]
pub struct ProviderError(String);

impl Provider {
    /// All providers.
    pub const ALL: [Self; 8] = [
        Self::OpenAi,
        Self::Anthropic,
        Self::Gemini,
        Self::Azure,
        Self::OpenRouter,
        Self::Vllm,
        Self::Ollama,
        Self::LlamaCpp,
    ];

    /// Returns its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Azure => "azure",
            Self::OpenRouter => "openrouter",
            Self::Vllm => "vllm",
            Self::Ollama => "ollama",
            Self::LlamaCpp => "llama.cpp",
        }
    }

    /// Returns the provider's address; `None` if each customer has a different one.
    pub fn base_url(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some(DEFAULT_ENDPOINT),
            Self::Anthropic => Some("https://api.anthropic.com/v1"),
            Self::Gemini => Some("https://generativelanguage.googleapis.com/v1beta/openai"),
            Self::Azure => None,
            Self::OpenRouter => Some("https://openrouter.ai/api/v1"),
            Self::Vllm => Some("http://127.0.0.1:8000/v1"),
            Self::Ollama => Some("http://127.0.0.1:11434/v1"),
            Self::LlamaCpp => Some("http://127.0.0.1:8080/v1"),
        }
    }

    /// Returns the environment variable that usually contains the provider's key; `None` if it needs no key.
    fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Azure => Some("AZURE_OPENAI_API_KEY"),
            Self::OpenRouter => Some("OPENROUTER_API_KEY"),
            Self::Vllm | Self::Ollama | Self::LlamaCpp => None,
        }
    }

    /// Returns whether an address belongs to the provider, which may therefore get the provider's usual key.
    fn owns_address(self, base_url: &str) -> bool {
        let Ok(url) = Url::parse(base_url) else { return false };
        if let Some(own) = self.base_url() {
            return Url::parse(own).is_ok_and(|own| own.origin() == url.origin());
        }
        let host = url.host_str().unwrap_or_default();
        url.scheme() == "https" && AZURE_DOMAINS.iter().any(|domain| host.ends_with(domain))
    }

    /// Describes what the provider cannot do or does differently.
    pub fn limits(self) -> &'static str {
        match self {
            Self::OpenAi => "it hides reasoning, and its reasoning models reject temperature and top_p",
            Self::Anthropic => {
                "it ignores the JSON schema, the seed and the reasoning effort, and its highest temperature is 1"
            }
            Self::Gemini => {
                "it hides reasoning unless extra_body asks for it, and reports no system fingerprint"
            }
            Self::Azure => {
                "--model must be the name of a deployment, and requests cannot turn off the content filter"
            }
            Self::OpenRouter => {
                "it may send each call to a different provider, and not all of them support the JSON schema: extra_body can select one"
            }
            Self::Vllm => {
                "it separates reasoning from the reply only if it was started with a reasoning parser"
            }
            Self::Ollama => {
                "it silently truncates prompts that are longer than its context: set the context size on the server"
            }
            Self::LlamaCpp => "it answers with the model that it was started with, whatever --model says",
        }
    }

    /// Fills in missing settings with the provider's defaults. The variable of the provider's key is used only for the
    /// provider's own address. For another address, the settings must name a variable.
    #[must_use]
    pub fn complete_settings(self, settings: LlmSettings) -> LlmSettings {
        let base_url = match self.base_url() {
            Some(own) if settings.base_url == DEFAULT_ENDPOINT => own.to_owned(),
            _ => settings.base_url,
        };
        let is_own = self.owns_address(&base_url);
        let variable = || self.key_variable().filter(|_| is_own).and_then(|name| name.parse().ok());
        let header = || (self == Self::Azure).then(|| "api-key".to_owned());
        LlmSettings {
            base_url,
            api_key_env: settings.api_key_env.or_else(variable),
            api_key_header: settings.api_key_header.or_else(header),
            ..settings
        }
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Provider {
    type Err = ProviderError;

    fn from_str(word: &str) -> Result<Self, ProviderError> {
        Self::ALL
            .into_iter()
            .find(|provider| provider.name() == word)
            .ok_or_else(|| ProviderError(word.to_owned()))
    }
}

text_settings!(Provider);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::parse_base_url;

    #[test]
    fn presets_fill_in_missing_settings() {
        for provider in Provider::ALL {
            assert_eq!(provider.to_string().parse(), Ok(provider));
            let done = provider.complete_settings(LlmSettings::default());
            assert_eq!(done.base_url, provider.base_url().unwrap_or(DEFAULT_ENDPOINT));
            assert!(parse_base_url(&done.base_url).is_ok());
            let has_key = provider.base_url().is_some_and(|own| own.starts_with("https://"));
            assert_eq!(done.api_key_env.is_some(), has_key, "{provider}");
            let given = LlmSettings {
                base_url: "http://h/v1".into(),
                api_key_env: Some("MINE".parse().unwrap()),
                api_key_header: Some("x-key".into()),
                ..LlmSettings::default()
            };
            assert_eq!(provider.complete_settings(given.clone()), given);
        }
        let azure = Provider::Azure.complete_settings(LlmSettings::default());
        assert_eq!(azure.api_key_header.as_deref(), Some("api-key"));
        let variable_at = |provider: Provider, base_url: &str| {
            let settings = LlmSettings { base_url: base_url.into(), ..LlmSettings::default() };
            provider.complete_settings(settings).api_key_env.map(|name| name.as_str().to_owned())
        };
        for (provider, base_url, variable) in [
            (Provider::OpenAi, "https://api.openai.com/v2", Some("OPENAI_API_KEY")),
            (Provider::OpenAi, "http://api.openai.com/v1", None),
            (Provider::OpenAi, "https://api.openai.com.example/v1", None),
            (Provider::OpenAi, "https://api.openai.com:8443/v1", None),
            (Provider::OpenAi, "http://127.0.0.1:8000/v1", None),
            (Provider::Gemini, "https://api.anthropic.com/v1", None),
            (Provider::Azure, "https://name.openai.azure.com/openai/v1", Some("AZURE_OPENAI_API_KEY")),
            (Provider::Azure, "http://name.openai.azure.com/openai/v1", None),
            (Provider::Azure, "https://name.cloudapp.azure.com/openai/v1", None),
            (Provider::Azure, "https://evilopenai.azure.com/openai/v1", None),
        ] {
            assert_eq!(variable_at(provider, base_url).as_deref(), variable, "{provider} {base_url}");
        }
        assert_eq!(
            "openia".parse::<Provider>().unwrap_err().to_string(),
            "\"openia\": expected openai, anthropic, gemini, azure, openrouter, vllm, ollama, llama.cpp"
        );
    }
}
