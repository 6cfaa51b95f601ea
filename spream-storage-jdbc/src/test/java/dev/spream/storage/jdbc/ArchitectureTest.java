package dev.spream.storage.jdbc;

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
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules of these adapters: one package a capability, apart from each other, over one {@code internal} that knows none. */
final class ArchitectureTest {
    private static final String ROOT = "dev.spream.storage.jdbc";
    private static final String INTERNAL = ROOT + ".internal";
    private static final int MAX_TYPES = 40;
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    /**
     * The packages that each capability may use beside libraries, {@code internal}, itself, and those that all
     * adapters use.
     */
    private static final Map<String, List<String>> CAPABILITIES = Map.of(
            ROOT,
            List.of("dev.spream.core.partition", "dev.spream.core.record"),
            ROOT + ".deadletter",
            List.of("dev.spream.core.consume", "dev.spream.core.partition", "dev.spream.core.record"),
            ROOT + ".event",
            List.of(
                    "dev.spream.projection",
                    "dev.spream.projection.event",
                    "dev.spream.core.record",
                    "dev.spream.core.serialization"),
            ROOT + ".ledger",
            List.of("dev.spream.core.consume", "dev.spream.core.record"),
            ROOT + ".lock",
            List.of("dev.spream.lock..", "dev.spream.core.record"),
            ROOT + ".mirror",
            List.of("dev.spream.core.consume", "dev.spream.core.record", ROOT + ".ledger"),
            ROOT + ".outbox",
            List.of("dev.spream.outbox..", "dev.spream.core.consume", "dev.spream.core.record"),
            ROOT + ".projection",
            List.of("dev.spream.projection", "dev.spream.projection.event", "dev.spream.core.record"),
            ROOT + ".table",
            List.of("dev.spream.projection", "dev.spream.projection.event"));

    @Test
    void capabilities_know_the_shared_package_and_not_each_other() {
        CAPABILITIES.forEach((capability, ports) -> {
            String[] allowed = Stream.of(
                            Stream.of(
                                    "java..",
                                    "javax.sql..",
                                    "org.slf4j..",
                                    "org.jspecify..",
                                    "com.google.auto.service.."),
                            Stream.of("org.postgresql..", "com.mysql..", "org.mariadb..", "com.zaxxer.hikari.."),
                            Stream.of("dev.spream.core", "dev.spream.core.internal", "dev.spream.api.spi", INTERNAL),
                            Stream.of(inside(capability)),
                            ports.stream())
                    .flatMap(names -> names)
                    .toArray(String[]::new);
            classes()
                    .that(resideInAPackage(inside(capability)))
                    .should()
                    .onlyDependOnClassesThat(resideInAnyPackage(allowed))
                    .check(CLASSES);
        });
    }

    /** The root package is the capability of partitions, and has no packages inside. */
    private static String inside(String capability) {
        return capability.equals(ROOT) ? ROOT : capability + "..";
    }

    @Test
    void the_shared_package_knows_no_capability_and_no_port() {
        classes()
                .that(resideInAPackage(INTERNAL))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java..",
                        "javax.sql..",
                        "org.slf4j..",
                        "org.jspecify..",
                        "org.postgresql..",
                        "org.flywaydb..",
                        "com.zaxxer.hikari..",
                        "dev.spream.core",
                        "dev.spream.api.spi",
                        INTERNAL))
                .check(CLASSES);
    }

    @Test
    void packages_are_free_of_cycles() {
        slices().matching("dev.spream.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void inner_packages_are_used_by_their_parent_alone() {
        inner().forEach(inner -> noClasses()
                .that()
                .resideOutsideOfPackage(parent(inner) + "..")
                .should()
                .dependOnClassesThat(resideInAPackage(inner + ".."))
                .check(CLASSES));
    }

    /** Packages inside of a capability's. */
    private static List<String> inner() {
        return CLASSES.stream()
                .map(JavaClass::getPackageName)
                .distinct()
                .filter(name -> !name.equals(ROOT) && !parent(name).equals(ROOT))
                .toList();
    }

    private static String parent(String name) {
        return name.substring(0, name.lastIndexOf('.'));
    }

    @Test
    void packages_are_small_enough_to_hold_in_the_head() {
        Map<String, Long> types = CLASSES.stream()
                .filter(JavaClass::isTopLevelClass)
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, TreeMap::new, Collectors.counting()));
        types.values().removeIf(number -> number <= MAX_TYPES);
        assertThat(types).isEmpty();
    }

    @Test
    void every_package_is_known_to_these_rules() {
        assertThat(CLASSES.stream().map(JavaClass::getPackageName).distinct())
                .allMatch(name -> name.equals(INTERNAL)
                        || CAPABILITIES.containsKey(name)
                        || (!name.equals(ROOT)
                                && CAPABILITIES.keySet().stream()
                                        .anyMatch(capability ->
                                                !capability.equals(ROOT) && name.startsWith(capability + "."))));
    }
}
