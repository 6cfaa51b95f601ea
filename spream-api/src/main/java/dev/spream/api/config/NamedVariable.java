package dev.spream.api.config;

import dev.spream.api.config.Origin.Layer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * A variable without spream's prefix, by which deployments configured something before it was spream's.
 *
 * @param key what it means, in full
 * @param writing makes of the variable's text the key's, which is empty if the text says nothing of the key
 */
record NamedVariable(String name, String key, UnaryOperator<String> writing) {

    /** What they say, by the key that they mean. One that is empty says nothing. */
    static Map<String, Setting> settings(List<NamedVariable> known, Map<String, String> variables) {
        Map<String, Setting> settings = new LinkedHashMap<>();
        for (NamedVariable variable : known) {
            String text = variables.getOrDefault(variable.name(), "").strip();
            String written = text.isEmpty() ? "" : variable.writing().apply(text);
            if (!written.isEmpty()) {
                Origin origin = new Origin(Layer.ENVIRONMENT, settings.size(), variable.name());
                settings.put(variable.key(), new Setting(variable.name(), written, origin));
            }
        }
        return settings;
    }
}
