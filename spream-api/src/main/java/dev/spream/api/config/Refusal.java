package dev.spream.api.config;

import dev.spream.api.spi.ConfigType;

/** Why a type does not take a text. */
final class Refusal {
    private Refusal() {}

    /** What would be right; of a text that is hidden nothing is said, not even by the type's own message. */
    static String text(ConfigType<?> type, Found.Text text, RuntimeException refused) {
        String reason = refused.getMessage();
        if (text.hidden() || reason == null || !(refused instanceof IllegalArgumentException)) {
            return "expected " + type.label();
        }
        return Shown.value(reason)
                + Suggestion.nearest(text.text(), type.choices())
                        .map("; did you mean %s?"::formatted)
                        .orElse("");
    }
}
