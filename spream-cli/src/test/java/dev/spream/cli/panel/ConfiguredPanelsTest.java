package dev.spream.cli.panel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.config.SpreamConfig;
import dev.spream.cli.http.Panel;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConfiguredPanelsTest {
    @Test
    void dead_letters_have_a_panel_unless_one_process_locks_them() {
        assertThat(panels(Map.of("dead-letters", "jdbc"))).containsExactly("dead-letters");
        assertThat(panels(Map.of("dead-letters", "jsonl"))).isEmpty();
    }

    private static List<String> panels(Map<String, String> values) {
        SpreamConfig config = SpreamConfig.of(values);
        try (ConfiguredPanels panels = ConfiguredPanels.of(config, port -> config)) {
            return panels.panels().stream().map(Panel::name).toList();
        }
    }
}
