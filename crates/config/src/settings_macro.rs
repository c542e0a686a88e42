//! The macro that declares settings.

/// Declares a struct of settings, each with its documentation, type, default and placeholder.
///
/// Calls of `range`, `in_bytes`, `flag_name` and `or_variable` of [`Setting`](super::Setting) may follow a setting. A
/// last field after `..` is another struct of settings.
#[macro_export]
macro_rules! settings {
    (
        $(#[$meta:meta])*
        $vis:vis struct $Struct:ident {
            $(
                $(#[doc = $doc:literal])+
                $name:ident: $type:ty = $default:expr, $placeholder:literal
                    $(.$modifier:ident($($argument:tt)*))*;
            )*
            $(.. $(#[$part_meta:meta])* $part:ident: $Part:ty;)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        $vis struct $Struct {
            $($(#[doc = $doc])+ pub $name: $type,)*
            $($(#[$part_meta])* pub $part: $Part,)?
        }

        impl Default for $Struct {
            fn default() -> Self {
                Self { $($name: $default,)* $($part: <$Part>::default(),)? }
            }
        }

        impl $crate::SettingTable for $Struct {
            fn settings(&mut self) -> Vec<$crate::Setting<'_>> {
                #[allow(unused_mut, reason = "some structs have no nested settings")]
                let mut settings = vec![$(
                    $crate::Setting::new(
                        stringify!($name),
                        concat!($($doc, "\n"),+),
                        $placeholder,
                        &mut self.$name,
                    )$(.$modifier($($argument)*))*,
                )*];
                $(settings.extend($crate::SettingTable::settings(&mut self.$part));)?
                settings
            }
        }
    };
}
