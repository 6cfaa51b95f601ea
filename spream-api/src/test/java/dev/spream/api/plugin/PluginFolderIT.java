package dev.spream.api.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.spream.api.plugin.classloader.PluginClassLoader;
import dev.spream.api.plugin.classloader.PluginParentClassLoader;
import dev.spream.api.plugin.classloader.PortSamples;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.Ports;
import dev.spream.core.consume.Consumer;
import dev.spream.testkit.LogLines;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Tests of the classes that plug-ins from a folder use, with jars compiled here. */
final class PluginFolderIT {
    @TempDir
    private Path temp;

    private Path folder;

    @BeforeEach
    void makeFolder() throws IOException {
        folder = Files.createDirectory(temp.resolve("plugins"));
    }

    @Test
    void a_jar_in_the_folder_is_a_plug_in() throws Exception {
        Path jar = ExampleSinks.sink("csv").writeTo(folder.resolve("csv.jar"));
        try (PluginRegistry registry = discover()) {
            assertThat(registry.problems()).isEmpty();
            Plugin<?> plugin = registry.find(ConsumerProvider.PORT, "csv").orElseThrow();
            assertThat(plugin.port()).isEqualTo(ConsumerProvider.PORT);
            assertThat(plugin.origin()).isEqualTo(jar.toString());
            assertThat(plugin).hasToString("sink csv (%s)".formatted(jar));
            try (OpenPlugin<Consumer> open = Opening.sink(registry, "csv")) {
                open.product().consume(PortSamples.CHANGE, PortSamples.DELIVERY);
                open.product().flush();
            }
        }
    }

    @Test
    void each_plug_in_has_its_own_version_of_a_library_that_the_host_has_too() throws Exception {
        for (String version : List.of("1", "2")) {
            Path library = ExampleSinks.library(version)
                    .writeTo(folder.resolve("plugin" + version).resolve("lib.jar"));
            ExampleSinks.sinkUsing("v" + version, library)
                    .writeTo(folder.resolve("plugin" + version).resolve("sink.jar"));
        }
        Path hostLibrary = ExampleSinks.library("3").writeTo(temp.resolve("host/lib.jar"));
        Path hostSink = ExampleSinks.sinkUsing("v3", hostLibrary).writeTo(temp.resolve("host/sink.jar"));
        try (URLClassLoader host = loader(hostSink, hostLibrary);
                PluginRegistry registry = PluginRegistry.discover(host, Optional.of(folder))) {
            assertThat(registry.problems()).isEmpty();
            for (String version : List.of("1", "2", "3")) {
                assertThat(Opening.sink(registry, "v" + version).product()).hasToString(version);
            }
        }
    }

    @Test
    void a_fat_jar_uses_its_own_library_and_the_types_of_the_host() throws Exception {
        Path library = ExampleSinks.library("own").writeTo(temp.resolve("lib.jar"));
        ExampleSinks.sinkUsing("fat", library)
                .source(ExampleSinks.LIBRARY, """
                        package com.example.lib;

                        public final class Version {
                            public static String text() {
                                return "carried";
                            }
                        }
                        """)
                .copyOf(ConsumerProvider.class)
                .copyOf(Consumer.class)
                .copyOf(LoggerFactory.class)
                .writeTo(folder.resolve("fat.jar"));
        try (PluginRegistry registry = discover()) {
            assertThat(registry.problems()).isEmpty();
            assertThat(Opening.sink(registry, "fat").product()).hasToString("carried");
        }
    }

    @Test
    void nothing_else_of_the_host_is_seen() throws Exception {
        Files.createDirectories(temp.resolve("host/META-INF/services"));
        Files.writeString(
                temp.resolve("host/META-INF/services/java.util.function.Supplier"), "com.example.OfHost\n", UTF_8);
        Files.writeString(temp.resolve("host/of-the-host.txt"), "seen", UTF_8);
        URL[] urls = {temp.resolve("host").toUri().toURL()};
        try (URLClassLoader host = new URLClassLoader(urls, getClass().getClassLoader());
                PluginClassLoader loader = loaderOf(
                        ExampleSinks.sink("csv").entry("own.txt", "own").writeTo(folder.resolve("csv.jar")), host)) {
            assertThat(host.getResource("of-the-host.txt")).isNotNull();
            assertThat(loader.getResource("of-the-host.txt")).isNull();
            assertThat(Collections.list(loader.getResources("META-INF/services/java.util.function.Supplier")))
                    .isEmpty();
            assertThat(Collections.list(loader.getResources("own.txt"))).hasSize(1);
            assertThat(sees(loader, Test.class)).as("JUnit").isFalse();
        }
    }

    @Test
    void plugins_share_the_jdk_the_core_the_api_and_slf4j() throws Exception {
        Path jar = ExampleSinks.sink("csv").writeTo(folder.resolve("csv.jar"));
        try (PluginClassLoader loader = loaderOf(jar, getClass().getClassLoader())) {
            for (Class<?> shared : List.of(
                    Consumer.class,
                    ConsumerProvider.class,
                    PluginRegistry.class,
                    org.slf4j.Logger.class,
                    org.slf4j.event.Level.class,
                    org.jspecify.annotations.NullMarked.class,
                    java.sql.Driver.class,
                    javax.tools.JavaCompiler.class)) {
                assertThat(loader.loadClass(shared.getName())).isSameAs(shared);
            }
            assertThat(loader.loadClass("com.sun.source.tree.Tree").getModule().getName())
                    .isEqualTo("jdk.compiler");
            for (String hidden : List.of(
                    "dev.spream.api.guice.SpreamModule",
                    "com.google.inject.Injector",
                    "ch.qos.logback.classic.Logger",
                    "org.slf4j.bridge.SLF4JBridgeHandler")) {
                assertThat(PluginParentClassLoader.shares(hidden)).as(hidden).isFalse();
            }
            assertThat(sees(loader, ch.qos.logback.classic.Logger.class)).isFalse();
        }
    }

    @Test
    void files_that_are_no_jars_are_ignored() throws Exception {
        ExampleSinks.sink("csv").writeTo(folder.resolve("CSV.JAR"));
        Files.writeString(folder.resolve("README.txt"), "Drop plug-ins here.", UTF_8);
        Files.writeString(folder.resolve(".hidden.jar"), "no zip", UTF_8);
        Files.createDirectory(folder.resolve(".git"));
        Path own = Files.createDirectory(folder.resolve("jsonx"));
        ExampleSinks.sink("jsonx").writeTo(own.resolve("jsonx.jar"));
        Files.writeString(own.resolve("LICENSE"), "free", UTF_8);
        Files.writeString(Files.createDirectory(own.resolve("deeper")).resolve("broken.jar"), "no zip", UTF_8);
        try (PluginRegistry registry = discover()) {
            assertThat(registry.problems()).isEmpty();
            assertThat(registry.plugins(ConsumerProvider.PORT))
                    .extracting(Plugin::name)
                    .contains("csv", "jsonx");
        }
    }

    @Test
    void the_order_is_that_of_port_and_name() throws Exception {
        ExampleSinks.sink("zz-last").writeTo(folder.resolve("a.jar"));
        ExampleSinks.sink("aa-first").writeTo(folder.resolve("z.jar"));
        try (PluginRegistry registry = discover()) {
            assertThat(registry.plugins(ConsumerProvider.PORT))
                    .extracting(Plugin::name)
                    .isSorted()
                    .contains("aa-first", "zz-last");
            assertThat(registry.plugins())
                    .extracting(plugin -> Ports.ALL.indexOf(plugin.port()))
                    .isSorted();
        }
    }

    @Test
    void one_line_is_logged_for_each() {
        Path jar = ExampleSinks.sink("csv").writeTo(folder.resolve("csv.jar"));
        var logger = (ch.qos.logback.classic.Logger) LoggerFactory.getLogger(PluginRegistry.class);
        Level before = logger.getLevel();
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.setLevel(Level.INFO);
        logger.addAppender(lines);
        try (PluginRegistry registry = discover()) {
            assertThat(lines.list).hasSameSizeAs(registry.plugins());
            assertThat(lines.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .contains("found sink csv in " + jar);
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(before);
        }
    }

    @Test
    void found_providers_are_logged_before_any_of_their_code_runs() throws Exception {
        ExampleSinks.sink("a").writeTo(folder.resolve("a.jar"));
        ExampleSinks.provider(ExampleSinks.consumerProvider("\"b\"", "said()", "return (change, delivery) -> {};")
                        .replaceFirst("(?s)}\\s*$", """
                                    private static List<ConfigKey<?>> said() {
                                        org.slf4j.LoggerFactory.getLogger("%s").info("runs");
                                        return List.of();
                                    }
                                }
                                """.formatted(PluginFolder.class.getName())))
                .writeTo(folder.resolve("b/b.jar"));
        try (LogLines lines = new LogLines(PluginFolder.class.getName());
                PluginRegistry registry = discover()) {
            assertThat(registry.problems()).isEmpty();
            assertThat(lines.lines())
                    .containsExactly("INFO loading plug-ins from %s: a.jar, b/ (1 jar)".formatted(folder), "INFO runs");
        }
    }

    @Test
    void name_keys_create_and_calls_have_the_plug_ins_class_loader() throws Exception {
        String loader = "Thread.currentThread().getContextClassLoader().getClass().getSimpleName()";
        ExampleSinks.provider(ExampleSinks.consumerProvider(
                        loader + ".toLowerCase()",
                        "List.of(ConfigKey.of(%s.toLowerCase(), ConfigType.text(), \"A key.\"))".formatted(loader),
                        """
                        String inCreate = %1$s;
                        context.onClose(() -> System.setProperty("spream.test.closed-by", %1$s));
                        return (change, delivery) -> {
                            throw new IllegalStateException(inCreate + " " + %1$s);
                        };
                        """.formatted(loader)))
                .writeTo(folder.resolve("loader.jar"));
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (PluginRegistry registry = discover()) {
            assertThat(registry.problems()).isEmpty();
            Plugin<Consumer> plugin =
                    registry.find(ConsumerProvider.class, "pluginclassloader").orElseThrow();
            assertThat(plugin.keys()).extracting(Object::toString).containsExactly("pluginclassloader");
            OpenPlugin<Consumer> open = Opening.open(plugin);
            assertThat(catchThrowable(() -> open.product().consume(PortSamples.CHANGE, PortSamples.DELIVERY)))
                    .hasMessage("PluginClassLoader PluginClassLoader");
            open.close();
            assertThat(System.getProperty("spream.test.closed-by")).isEqualTo("PluginClassLoader");
        } finally {
            System.clearProperty("spream.test.closed-by");
        }
        assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
    }

    @Test
    void closing_the_registry_lets_go_of_the_jars() throws Exception {
        Path jar = writeReader("loader.getResource(\"own.txt\").openStream()");
        PluginRegistry registry = discover();
        try (OpenPlugin<Consumer> reader = Opening.sink(registry, "reader")) {
            reader.product().consume(PortSamples.CHANGE, PortSamples.DELIVERY);
        }
        registry.close();
        registry.close();
        assertThat(openFiles()).noneMatch(file -> file.equals(jar.toString()));
        Files.delete(jar);
    }

    @Test
    void closing_a_registry_leaves_another_one_of_the_folder_alone() throws Exception {
        writeReader("loader.getResourceAsStream(\"own.txt\")");
        try (PluginRegistry other = discover();
                OpenPlugin<Consumer> reader = Opening.sink(other, "reader")) {
            PluginRegistry registry = discover();
            Opening.sink(registry, "reader").product().consume(PortSamples.CHANGE, PortSamples.DELIVERY);
            registry.close();
            reader.product().consume(PortSamples.CHANGE, PortSamples.DELIVERY);
        }
    }

    @Test
    @SuppressWarnings("deprecation") // how XML parsers and the like find what a file of a jar refers to
    void a_relative_url_leads_from_one_file_of_the_jar_to_another() throws Exception {
        Path jar = ExampleSinks.sink("csv")
                .entry("schema/main.xml", "main")
                .entry("schema/sibling part.xml", "sibling")
                .writeTo(folder.resolve("csv plug-in.jar"));
        try (PluginClassLoader loader = loaderOf(jar, getClass().getClassLoader())) {
            URL main = loader.getResource("schema/main.xml");
            for (String relative : List.of("sibling%20part.xml", "sibling part.xml")) {
                var connection = new URL(main, relative).openConnection();
                assertThat(connection.getUseCaches()).isFalse();
                try (var in = connection.getInputStream()) {
                    assertThat(new String(in.readAllBytes(), UTF_8))
                            .as(relative)
                            .isEqualTo("sibling");
                }
            }
        }
        assertThat(openFiles()).noneMatch(file -> file.equals(jar.toString()));
    }

    /** A sink that opens a file of its jar when it is made, and reads it when it gets a change. */
    private Path writeReader(String opening) {
        return ExampleSinks.provider(ExampleSinks.consumerProvider("\"reader\"", "List.of()", """
                        ClassLoader loader = Thread.currentThread().getContextClassLoader();
                        java.io.InputStream in = %s;
                        return (change, delivery) -> {
                            if (in.read() != 'o') {
                                throw new IllegalStateException("own.txt says something else");
                            }
                            in.close();
                        };
                        """.formatted(opening)))
                .entry("own.txt", "own")
                .writeTo(folder.resolve("reader.jar"));
    }

    /** Returns the open files, as far as Linux lists them; elsewhere, deleting an open file fails. */
    private static List<String> openFiles() throws IOException {
        Path descriptors = Path.of("/proc/self/fd");
        if (!Files.isDirectory(descriptors)) {
            return List.of();
        }
        try (Stream<Path> links = Files.list(descriptors)) {
            return links.flatMap(link -> {
                        try {
                            return Stream.of(Files.readSymbolicLink(link).toString());
                        } catch (IOException e) {
                            return Stream.of(); // closed since
                        }
                    })
                    .toList();
        }
    }

    private static PluginClassLoader loaderOf(Path jar, ClassLoader host) {
        return new PluginClassLoader(jar, List.of(jar), new PluginParentClassLoader(host));
    }

    private static boolean sees(ClassLoader loader, Class<?> type) {
        try {
            loader.loadClass(type.getName());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private PluginRegistry discover() {
        return PluginRegistry.discover(getClass().getClassLoader(), Optional.of(folder));
    }

    private static URLClassLoader loader(Path... jars) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (Path jar : jars) {
            urls.add(jar.toUri().toURL());
        }
        return new URLClassLoader(urls.toArray(URL[]::new), PluginFolderIT.class.getClassLoader());
    }
}
