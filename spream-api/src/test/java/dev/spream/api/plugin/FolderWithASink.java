package dev.spream.api.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.ConsumerProvider;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A plug-in folder with one sound plug-in, which has to be found whatever is wrong beside it. */
final class FolderWithASink {
    /** The name of the sound plug-in. */
    static final String SOUND = "sound";

    private final Path folder;

    FolderWithASink(Path temp) {
        folder = temp.resolve("plugins");
        ExampleSinks.sink(SOUND).writeTo(folder.resolve("sound.jar"));
    }

    Path path() {
        return folder;
    }

    Path resolve(String name) {
        return folder.resolve(name);
    }

    PluginRegistry discover(ClassLoader host) {
        return PluginRegistry.discover(host, Optional.of(folder));
    }

    /** Returns the reported problems; the valid plug-in must be found in any case. */
    List<String> problems() {
        try (PluginRegistry registry = discover(getClass().getClassLoader())) {
            assertThat(registry.find(ConsumerProvider.PORT, SOUND)).isPresent();
            return registry.problems();
        }
    }
}
