package dev.spream.api.plugin;

import dev.spream.api.spi.ConsumerProvider;
import dev.spream.testkit.plugin.PluginJar;
import java.nio.file.Path;

/** Sources of plug-ins for tests. */
final class ExampleSinks {
    static final String PROVIDER = "com.example.SinkProvider";
    static final String LIBRARY = "com.example.lib.Version";

    private ExampleSinks() {}

    /** A sink that does nothing. */
    static PluginJar sink(String name) {
        return provider(consumerProvider("\"" + name + "\"", "List.of()", "return (change, delivery) -> {};"));
    }

    /** A jar with this one provider. */
    static PluginJar provider(String code) {
        return PluginJar.empty().source(PROVIDER, code).service(ConsumerProvider.class, PROVIDER);
    }

    /** The source of a provider, from its expression for the name, that for the keys, and the body of its create. */
    static String consumerProvider(String name, String keys, String create) {
        return """
                package com.example;

                import dev.spream.api.spi.*;
                import dev.spream.core.consume.*;
                import java.util.*;

                public final class SinkProvider implements ConsumerProvider {
                    @Override
                    public String name() {
                        return %s;
                    }

                    @Override
                    public List<ConfigKey<?>> keys() {
                        return %s;
                    }

                    @Override
                    public Consumer create(PluginConfig config, PluginContext context) throws Exception {
                        %s
                    }
                }
                """.formatted(name, keys, create);
    }

    /** A library of which there are several versions. */
    static PluginJar library(String version) {
        return PluginJar.empty().source(LIBRARY, """
                        package com.example.lib;

                        public final class Version {
                            public static String text() {
                                return "%s";
                            }
                        }
                        """.formatted(version));
    }

    /** A sink whose text is what the library says. */
    static PluginJar sinkUsing(String name, Path library) {
        return provider(consumerProvider("\"" + name + "\"", "List.of()", """
                String version = com.example.lib.Version.text();
                return new Consumer() {
                    @Override
                    public void consume(dev.spream.core.record.DataChangeRecord change, Delivery delivery) {}

                    @Override
                    public String toString() {
                        return version;
                    }
                };
                """)).classPath(library);
    }
}
