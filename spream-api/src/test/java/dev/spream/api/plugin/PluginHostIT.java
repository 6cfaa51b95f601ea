package dev.spream.api.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.config.ConfigException;
import dev.spream.core.SpreamException;
import dev.spream.testkit.plugin.PluginJar;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plug-ins and hosts that are not as usual: other class loaders, and plug-ins that fail when they are opened. */
final class PluginHostIT {
    @TempDir
    private Path temp;

    @Test
    void a_host_may_have_loaded_spream_itself() throws Exception {
        ExampleSinks.sink("csv").writeTo(temp.resolve("plugins/csv.jar"));
        List<URL> urls = new ArrayList<>();
        for (Path jar : PluginJar.ofHost()) {
            urls.add(jar.toUri().toURL());
        }
        try (URLClassLoader host = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Class<?> type = host.loadClass(PluginRegistry.class.getName());
            assertThat(type).isNotSameAs(PluginRegistry.class);
            try (AutoCloseable registry = (AutoCloseable) type.getMethod("discover", ClassLoader.class, Optional.class)
                    .invoke(null, host, Optional.of(temp.resolve("plugins")))) {
                assertThat(type.getMethod("problems").invoke(registry)).isEqualTo(List.of());
                assertThat(type.getMethod("plugins").invoke(registry).toString())
                        .contains("sink csv (");
            }
        }
    }

    @Test
    void another_copy_of_the_api_is_recognised_as_such() throws Exception {
        Path jar = ExampleSinks.sink("csv").writeTo(temp.resolve("csv.jar"));
        URL[] urls = {
            jar.toUri().toURL(),
            PluginJar.home(PluginRegistry.class).toUri().toURL(),
            PluginJar.home(SpreamException.class).toUri().toURL()
        };
        try (URLClassLoader stranger = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
                PluginRegistry registry = PluginRegistry.discover(stranger, Optional.empty())) {
            assertThat(registry.problems())
                    .contains(
                            "%s: %s does not implement ConsumerProvider of this spream-api, but that of another copy of it; implement that interface"
                                    .formatted(jar, ExampleSinks.PROVIDER));
        }
    }

    @Test
    void plug_ins_are_found_from_threads_whose_class_loader_does_not_know_spream() throws Exception {
        Path jar = ExampleSinks.sink("csv").writeTo(temp.resolve("csv.jar"));
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader host = new URLClassLoader(new URL[] {jar.toUri().toURL()}, before);
                URLClassLoader stranger =
                        new URLClassLoader(new URL[] {jar.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(host);
            assertThat(found()).contains("csv");
            thread.setContextClassLoader(stranger);
            assertThat(found()).doesNotContain("csv");
            thread.setContextClassLoader(null);
            assertThat(found()).doesNotContain("csv");
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static List<String> found() {
        try (PluginRegistry registry = PluginRegistry.discover()) {
            assertThat(registry.problems()).isEmpty();
            return registry.plugins().stream().map(Plugin::name).toList();
        }
    }

    @Test
    void a_library_that_is_missed_only_when_opened_is_named() {
        Path library = ExampleSinks.library("1").writeTo(temp.resolve("lib.jar"));
        Path jar = ExampleSinks.sinkUsing("csv", library).writeTo(temp.resolve("plugins/csv.jar"));
        try (PluginRegistry registry = inFolder()) {
            assertThat(registry.problems()).isEmpty();
            assertThatThrownBy(() -> Opening.sink(registry, "csv"))
                    .isInstanceOf(SpreamException.class)
                    .hasMessage(
                            "sink csv (%s) could not be opened: the plug-in needs the class com.example.lib.Version, which it does not contain; put its jar and the jar with that class into one subfolder of the plug-in folder; its resources are closed"
                                    .formatted(jar));
        }
    }

    @Test
    void a_library_of_another_version_than_it_was_built_with_is_named() {
        Path built = PluginJar.empty()
                .source(
                        ExampleSinks.LIBRARY,
                        "package com.example.lib; public final class Version { public static String text() { return words(); } public static String words() { return \"\"; } }")
                .writeTo(temp.resolve("lib.jar"));
        ExampleSinks.provider(ExampleSinks.consumerProvider("\"csv\"", "List.of()", """
                        com.example.lib.Version.words();
                        return (change, delivery) -> {};
                        """))
                .classPath(built)
                .writeTo(temp.resolve("plugins/csv/csv.jar"));
        ExampleSinks.library("2").writeTo(temp.resolve("plugins/csv/lib.jar"));
        try (PluginRegistry registry = inFolder()) {
            assertThatThrownBy(() -> Opening.sink(registry, "csv"))
                    .hasMessageContaining(
                            "the plug-in was built with another version of a library than the one found at run time (")
                    .hasMessageContaining("com.example.lib.Version.words()")
                    .hasMessageContaining("provide the version that it was built with");
        }
    }

    @Test
    void a_configuration_problem_of_a_provider_names_the_jar() {
        Path jar = ExampleSinks.provider(ExampleSinks.consumerProvider(
                        "\"csv\"", "List.of()", "throw new IllegalArgumentException(\"no such path\");"))
                .writeTo(temp.resolve("plugins/csv.jar"));
        try (PluginRegistry registry = inFolder()) {
            assertThatThrownBy(() -> Opening.sink(registry, "csv"))
                    .isInstanceOf(ConfigException.class)
                    .hasMessage("sink csv (%s): no such path", jar);
        }
    }

    @Test
    void a_class_of_the_core_that_only_the_plug_in_carries_is_not_there() {
        ExampleSinks.provider(ExampleSinks.consumerProvider("\"csv\"", "List.of()", """
                        dev.spream.core.Newer.hello();
                        return (change, delivery) -> {};
                        """))
                .source(
                        "dev.spream.core.Newer",
                        "package dev.spream.core; public final class Newer { public static void hello() {} }")
                .writeTo(temp.resolve("plugins/csv.jar"));
        try (PluginRegistry registry = inFolder()) {
            assertThatThrownBy(() -> Opening.sink(registry, "csv"))
                    .hasMessageContaining("the plug-in was built for another version of spream-api")
                    .hasMessageContaining(
                            "(class dev.spream.core.Newer is missing); build it against the version in use");
        }
    }

    @Test
    void modules_of_the_host_are_not_seen_either() throws Exception {
        Path library = ExampleSinks.library("of the host").writeTo(temp.resolve("example.lib.jar"));
        ExampleSinks.sinkUsing("lonely", library).writeTo(temp.resolve("plugins/lonely.jar"));
        Path own = temp.resolve("plugins/own");
        ExampleSinks.sinkUsing("own", ExampleSinks.library("own").writeTo(own.resolve("lib.jar")))
                .writeTo(own.resolve("sink.jar"));
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--module-path",
                        library.toString(),
                        "--add-modules",
                        "example.lib",
                        "-classpath",
                        System.getProperty("java.class.path"),
                        ModularHost.class.getName(),
                        temp.resolve("plugins").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said.lines().filter(line -> line.startsWith(ModularHost.SAYS)))
                .containsExactly(
                        ModularHost.SAYS + "host: of the host",
                        ModularHost.SAYS + "lonely: not there",
                        ModularHost.SAYS + "own: own");
    }

    @Test
    void a_plug_in_may_bring_providers_of_its_own_for_its_libraries() throws Exception {
        ExampleSinks.provider(ExampleSinks.consumerProvider("\"csv\"", "List.of()", """
                        var said = ServiceLoader.load(java.util.function.Supplier.class).findFirst().orElseThrow().get();
                        return new Consumer() {
                            @Override
                            public void consume(dev.spream.core.record.DataChangeRecord change, Delivery delivery) {}

                            @Override
                            public String toString() {
                                return said.toString();
                            }
                        };
                        """))
                .source(
                        "com.example.Saying",
                        "package com.example; public final class Saying implements java.util.function.Supplier<String> { public String get() { return \"own\"; } }")
                .service("java.util.function.Supplier", "com.example.Saying")
                .writeTo(temp.resolve("plugins/csv.jar"));
        try (PluginRegistry registry = inFolder()) {
            assertThat(Opening.sink(registry, "csv").product()).hasToString("own");
        }
    }

    private PluginRegistry inFolder() {
        return PluginRegistry.discover(getClass().getClassLoader(), Optional.of(temp.resolve("plugins")));
    }
}
