package dev.spream.api.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.testkit.plugin.PluginJar;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the messages about a jar whose provider cannot be used. */
final class ProviderProblemsIT {
    private static final String SERVICE_FILE = "META-INF/services/dev.spream.api.spi.ConsumerProvider";

    @TempDir
    private Path temp;

    private FolderWithASink folder;

    @BeforeEach
    void makeFolder() {
        folder = new FolderWithASink(temp);
    }

    @Test
    void a_provider_that_is_named_and_not_there() {
        Path jar = PluginJar.empty()
                .service(ConsumerProvider.class, "com.example.Gone")
                .service(ConsumerProvider.class, "not a name")
                .writeTo(folder.resolve("csv.jar"));
        assertThat(folder.problems())
                .containsExactly(
                        "%s: com.example.Gone is named in %s, but does not exist; correct the name, or rebuild the plug-in"
                                .formatted(jar, SERVICE_FILE),
                        "%s: not a name is named in %s, but does not exist; correct the name, or rebuild the plug-in"
                                .formatted(jar, SERVICE_FILE));
    }

    @Test
    void a_sound_provider_beside_wrong_ones_in_the_same_jar() throws Exception {
        ExampleSinks.sink("csv")
                .service(ConsumerProvider.class, "com.example.Gone")
                .service(ConsumerProvider.class, "java.lang.String")
                .writeTo(folder.resolve("csv.jar"));
        try (PluginRegistry registry = folder.discover(getClass().getClassLoader())) {
            assertThat(registry.find(ConsumerProvider.PORT, "csv")).isPresent();
            assertThat(registry.problems()).hasSize(2);
        }
    }

    @Test
    void providers_that_cannot_be_made() {
        assertThat(problemOf(sound().replace("public final class", "public abstract class")))
                .isEqualTo("is abstract; name a concrete class");
        assertThat(
                        problemOf(
                                "package com.example; public interface SinkProvider extends dev.spream.api.spi.ConsumerProvider {}"))
                .isEqualTo("is abstract; name a concrete class");
        assertThat(problemOf(sound().replace("public final class SinkProvider implements ConsumerProvider {", """
                final class SinkProvider implements ConsumerProvider {
                    public SinkProvider() {}
                """)))
                .isEqualTo("is not public; make it so");
        assertThat(problemOf(withConstructor("public SinkProvider(String name) {}")))
                .isEqualTo("has no public constructor without parameters; give it one that does nothing");
        assertThat(problemOf(withConstructor("SinkProvider() {}")))
                .isEqualTo("has no public constructor without parameters; give it one that does nothing");
        assertThat(problemOf(
                        withConstructor("public SinkProvider() { throw new IllegalStateException(\"no luck\"); }")))
                .isEqualTo("cannot be instantiated: java.lang.IllegalStateException: no luck");
        assertThat(problemOf(withConstructor("static final int N = Integer.parseInt(\"x\");")))
                .isEqualTo(
                        "cannot be instantiated: a static initializer failed: java.lang.NumberFormatException: For input string: \"x\"");
    }

    @Test
    void providers_of_the_wrong_type() {
        assertThat(problemOf("package com.example; public final class SinkProvider {}"))
                .isEqualTo("does not implement ConsumerProvider; implement that interface");
        Path jar = ExampleSinks.sink("csv")
                .service(PartitionStorageProvider.class, ExampleSinks.PROVIDER)
                .writeTo(folder.resolve("wrong.jar"));
        assertThat(folder.problems())
                .containsExactly("%s: %s is a ConsumerProvider; name it in %s"
                        .formatted(jar, ExampleSinks.PROVIDER, SERVICE_FILE));
    }

    @Test
    void names_that_are_none() {
        String rest = "; a name consists of lower-case letters, digits and hyphens, and begins with a letter";
        assertThat(problemOf(named("null"))).isEqualTo("has no name" + rest);
        assertThat(problemOf(named("\"\""))).isEqualTo("has the invalid name ''" + rest);
        assertThat(problemOf(named("\" \""))).isEqualTo("has the invalid name ' '" + rest);
        assertThat(problemOf(named("\"Csv\""))).isEqualTo("has the invalid name 'Csv'" + rest);
        assertThat(problemOf(named("\"1st\""))).isEqualTo("has the invalid name '1st'" + rest);
        assertThat(problemOf(named("String.valueOf(1 / (List.of().size()))")))
                .isEqualTo("fails when asked for its name: java.lang.ArithmeticException: / by zero");
    }

    @Test
    void keys_that_are_none() {
        String key = "ConfigKey.of(\"url\", ConfigType.text(), \"Where to.\")";
        assertThat(problemOf(keyed("null"))).startsWith("returns null for its keys");
        assertThat(problemOf(keyed("Arrays.asList((ConfigKey<?>) null)")))
                .isEqualTo("has a null among its keys; remove it");
        assertThat(problemOf(keyed("List.of(%1$s, %1$s)".formatted(key))))
                .isEqualTo("has the key 'url' twice; rename one of them");
        assertThat(problemOf(keyed("List.of(ConfigKey.of(\"URL\", ConfigType.text(), \"Where to.\"))")))
                .isEqualTo(
                        "fails when asked for its keys: java.lang.IllegalArgumentException: 'URL' is not a valid key name: use lower-case words separated by hyphens or dots");
    }

    @Test
    void a_class_for_a_newer_java() {
        Path jar = ExampleSinks.sink("csv").classFileVersion(100).writeTo(folder.resolve("newer.jar"));
        assertThat(folder.problems())
                .singleElement()
                .asString()
                .startsWith("%s: %s cannot be loaded: the plug-in was compiled for Java 56, and this is Java %d ("
                        .formatted(jar, ExampleSinks.PROVIDER, Runtime.version().feature()))
                .endsWith("); run spream with that Java, or compile the plug-in with --release 21");
    }

    @Test
    void a_library_that_is_missing() {
        Path library = PluginJar.empty()
                .source("com.example.lib.Base", "package com.example.lib; public class Base {}")
                .writeTo(temp.resolve("lib.jar"));
        Path jar = ExampleSinks.provider(sound().replace(
                                "SinkProvider implements", "SinkProvider extends com.example.lib.Base implements"))
                .classPath(library)
                .writeTo(folder.resolve("lonely.jar"));
        assertThat(folder.problems())
                .containsExactly(
                        "%s: %s cannot be loaded: the plug-in needs the class com.example.lib.Base, which it does not contain; put its jar and the jar with that class into one subfolder of the plug-in folder"
                                .formatted(jar, ExampleSinks.PROVIDER));
    }

    @Test
    void a_provider_for_another_version_of_the_api() {
        assertThat(problemOf(otherApi("ConfigKey.of(\"url\")").source("dev.spream.api.spi.ConfigKey", """
                                package dev.spream.api.spi;

                                public final class ConfigKey<T> {
                                    public static <T> ConfigKey<T> of(String name) {
                                        return null;
                                    }
                                }
                                """)))
                .startsWith("fails when asked for its keys: the plug-in was built for another version of spream-api")
                .contains("ConfigKey.of(java.lang.String)")
                .contains("); build it against the version in use");
        assertThat(
                        problemOf(
                                otherApi("ConfigKeys.NONE")
                                        .source(
                                                "dev.spream.api.spi.ConfigKeys",
                                                "package dev.spream.api.spi; public final class ConfigKeys { public static final ConfigKey<?> NONE = ConfigKey.of(\"n\", null, null); }")))
                .startsWith("fails when asked for its keys: the plug-in was built for another version of spream-api")
                .contains("class dev.spream.api.spi.ConfigKeys is missing");
    }

    @Test
    void a_provider_that_lacks_a_method_of_the_api() {
        assertThat(problemOf(ExampleSinks.provider("""
                                package com.example;

                                public final class SinkProvider implements dev.spream.api.spi.ConsumerProvider {
                                    @Override
                                    public String title() {
                                        return "csv";
                                    }
                                }
                                """)
                        .source(
                                "dev.spream.api.spi.ConsumerProvider",
                                "package dev.spream.api.spi; public interface ConsumerProvider { String title(); }")
                        .keep(name -> name.startsWith("com.example."))))
                .startsWith("fails when asked for its name: the plug-in was built for another version of spream-api")
                .contains("SinkProvider.name()");
    }

    private static PluginJar otherApi(String key) {
        return ExampleSinks.provider(ExampleSinks.consumerProvider(
                        "\"csv\"", "List.of(%s)".formatted(key), "return (change, delivery) -> {};"))
                .keep(name -> name.startsWith("com.example."));
    }

    private static String sound() {
        return ExampleSinks.consumerProvider("\"csv\"", "List.of()", "return (change, delivery) -> {};");
    }

    private static String named(String name) {
        return ExampleSinks.consumerProvider(name, "List.of()", "return (change, delivery) -> {};");
    }

    private static String keyed(String keys) {
        return ExampleSinks.consumerProvider("\"csv\"", keys, "return (change, delivery) -> {};");
    }

    private static String withConstructor(String constructor) {
        return sound().replace("implements ConsumerProvider {", "implements ConsumerProvider {\n" + constructor);
    }

    private String problemOf(String provider) {
        return problemOf(ExampleSinks.provider(provider));
    }

    /** Returns the problem of the provider in this jar, without the jar and the class, both of which it must name. */
    private String problemOf(PluginJar plugin) {
        Path jar = plugin.writeTo(folder.resolve("wrong.jar"));
        String start = "%s: %s ".formatted(jar, ExampleSinks.PROVIDER);
        String problem = assertThat(folder.problems())
                .singleElement()
                .asString()
                .startsWith(start)
                .actual();
        return problem.substring(start.length());
    }
}
