package dev.spream.api.plugin;

import dev.spream.core.SpreamException;
import java.nio.file.Path;
import java.util.Optional;

/** A process that has a library as a module, and opens plug-ins that use a library of the same name. */
final class ModularHost {
    static final String SAYS = "version seen by ";

    private ModularHost() {}

    public static void main(String[] arguments) throws Exception {
        Object seen = Class.forName(ExampleSinks.LIBRARY).getMethod("text").invoke(null);
        System.out.println(SAYS + "host: " + seen);
        try (PluginRegistry registry =
                PluginRegistry.discover(ModularHost.class.getClassLoader(), Optional.of(Path.of(arguments[0])))) {
            say(registry, "lonely");
            say(registry, "own");
        }
    }

    private static void say(PluginRegistry registry, String sink) {
        try {
            System.out.println(SAYS + sink + ": " + Opening.sink(registry, sink).product());
        } catch (SpreamException e) {
            System.out.println(SAYS + sink + ": not there");
        }
    }
}
