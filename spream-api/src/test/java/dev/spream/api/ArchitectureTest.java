package dev.spream.api;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.spream.api.spi.FormatProvider;
import dev.spream.api.spi.PluginProvider;
import dev.spream.api.spi.Ports;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules of the api: plug-in authors see the SPI alone, ports live in the cores, and the Guice module alone sees Guice. */
final class ArchitectureTest {
    private static final String API = "dev.spream.api";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(API);

    @Test
    void guice_stays_in_its_package() {
        classes()
                .that(resideInAPackage(API + ".."))
                .and()
                .resideOutsideOfPackages(API + ".buffer..", API + ".guice..", API + ".metrics..", API + ".tracing..")
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java..",
                        "dev.spream.core..",
                        "dev.spream.lock..",
                        "dev.spream.outbox..",
                        "dev.spream.projection..",
                        API + "..",
                        "org.slf4j..",
                        "org.jspecify..",
                        "com.google.auto.service.."))
                .check(CLASSES);
        noClasses()
                .that()
                .resideOutsideOfPackage(API + ".guice..")
                .should()
                .dependOnClassesThat(resideInAPackage(API + ".guice.."))
                .check(CLASSES);
    }

    @Test
    void micrometer_and_opentelemetry_stay_in_their_packages() {
        apart("metrics", "io.micrometer..");
        apart("tracing", "io.opentelemetry..");
    }

    @Test
    void h2_stays_in_its_package() {
        noClasses()
                .that()
                .resideOutsideOfPackage(API + ".buffer..")
                .should()
                .dependOnClassesThat(resideInAnyPackage("org.h2.."))
                .check(CLASSES);
    }

    /** Checks that the package uses the library and the core, and that no other package uses the package. */
    private static void apart(String name, String library) {
        classes()
                .that(resideInAPackage(API + "." + name + ".."))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java..",
                        "dev.spream.core..",
                        "dev.spream.lock..",
                        "dev.spream.outbox..",
                        "dev.spream.projection..",
                        "org.slf4j..",
                        "org.jspecify..",
                        library,
                        API + "." + name + ".."))
                .check(CLASSES);
        noClasses()
                .that()
                .resideOutsideOfPackage(API + "." + name + "..")
                .should()
                .dependOnClassesThat(resideInAPackage(API + "." + name + ".."))
                .check(CLASSES);
    }

    @Test
    void nothing_here_uses_a_database_or_an_http_client() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage("java.sql..", "javax.sql..", "java.net.http.."))
                .check(CLASSES);
    }

    @Test
    void packages_use_only_those_that_are_further_in() {
        mayUse("spi");
        mayUse("filter");
        mayUse("publish");
        mayUse("format", "spi");
        mayUse("health");
        mayUse("config", "spi");
        mayUse("plugin", "config", "spi");
        mayUse("storage", "spi");
        mayUse("event", "spi");
    }

    @Test
    void packages_are_free_of_cycles() {
        slices().matching(API + ".(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void a_package_holds_at_most_40_types() {
        Map<String, Long> types = CLASSES.stream()
                .filter(type -> type.getEnclosingClass().isEmpty())
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
        assertThat(types.values()).allSatisfy(count -> assertThat(count).isLessThanOrEqualTo(40));
    }

    @Test
    void ports_live_in_the_cores_and_plugs_here() {
        assertThat(Ports.ALL).allSatisfy(port -> {
            assertThat(port.type().getName())
                    .matches(
                            port.equals(FormatProvider.PORT) // that of plug-ins, which engines do not call
                                    ? "dev\\.spream\\.api\\.spi\\.Format"
                                    : "dev\\.spream\\.(core|lock|outbox|projection)\\..*");
            assertThat(port.provider().getPackageName()).isEqualTo(API + ".spi");
        });
        assertThat(CLASSES.stream()
                        .filter(type -> type.isInterface()
                                && type.isAssignableTo(PluginProvider.class)
                                && !type.isEquivalentTo(PluginProvider.class))
                        .map(JavaClass::getName))
                .containsExactlyInAnyOrderElementsOf(Ports.ALL.stream()
                        .map(port -> port.provider().getName())
                        .toList());
    }

    @Test
    void discovery_knows_no_port() {
        noClasses()
                .that(resideInAPackage(API + ".plugin"))
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "dev.spream.core.*..", "dev.spream.lock..", "dev.spream.outbox..", "dev.spream.projection.."))
                .check(CLASSES);
    }

    @Test
    void class_loaders_are_used_by_discovery_alone() {
        noClasses()
                .that()
                .resideOutsideOfPackage(API + ".plugin..")
                .should()
                .dependOnClassesThat(resideInAPackage(API + ".plugin.classloader.."))
                .check(CLASSES);
    }

    @Test
    void capabilities_do_not_depend_on_each_other() {
        apartFrom("(Lock)", "outbox", "projection");
        apartFrom("(Outbox)", "lock", "projection");
        apartFrom("(Projection|Rebuild|Event|ChangeStreamEvent|Search)", "lock", "outbox");
        apartFrom("(Spream|Subscription|DeadLetter|Consumer|Partition|Filter)", "lock", "outbox", "projection");
    }

    /** @param beginning of the names of the types */
    private static void apartFrom(String beginning, String... others) {
        noClasses()
                .that()
                .haveNameMatching(".*\\." + beginning + "[A-Za-z$]*")
                .should()
                .dependOnClassesThat(resideInAnyPackage(Arrays.stream(others)
                        .map(other -> "dev.spream." + other + "..")
                        .toArray(String[]::new)))
                .check(CLASSES);
    }

    @Test
    void every_package_is_known_to_these_rules() {
        assertThat(CLASSES.stream().map(JavaClass::getPackageName))
                .containsOnly(
                        API,
                        API + ".buffer",
                        API + ".config",
                        API + ".event",
                        API + ".filter",
                        API + ".format",
                        API + ".guice",
                        API + ".health",
                        API + ".metrics",
                        API + ".plugin",
                        API + ".plugin.classloader",
                        API + ".publish",
                        API + ".spi",
                        API + ".storage",
                        API + ".tracing");
    }

    private static void mayUse(String name, String... others) {
        String[] allowed = Stream.concat(
                        Stream.of(
                                "java..",
                                "dev.spream.core..",
                                "dev.spream.lock..",
                                "dev.spream.outbox..",
                                "dev.spream.projection..",
                                "org.slf4j..",
                                "org.jspecify..",
                                "com.google.auto.service..",
                                API + "." + name + ".."),
                        Arrays.stream(others).map(other -> API + "." + other + ".."))
                .toArray(String[]::new);
        classes()
                .that(resideInAPackage(API + "." + name + ".."))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(allowed))
                .check(CLASSES);
    }
}
