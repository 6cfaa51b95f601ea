package dev.spream.emulator;

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
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The emulator's packages as rules: what a test controls below all, the gRPC services on top, and nothing else of spream. */
final class ArchitectureTest {
    private static final String EMULATOR = "dev.spream.emulator";
    private static final String INTERNAL = EMULATOR + ".internal";
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(EMULATOR);

    @Test
    void the_emulator_uses_nothing_else_of_spream() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAPackage("dev.spream..")
                        .and(resideInAPackage(EMULATOR + "..").negate()))
                .check(CLASSES);
    }

    @Test
    void packages_are_free_of_cycles() {
        slices().matching("dev.spream.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void packages_use_only_those_that_are_further_in() {
        mayUse(EMULATOR + ".control");
        mayUse(EMULATOR + ".junit", EMULATOR, EMULATOR + ".control");
        mayUse(INTERNAL + ".schema");
        mayUse(INTERNAL + ".sql");
        mayUse(INTERNAL + ".streamsql", INTERNAL + ".sql");
        mayUse(INTERNAL + ".function", INTERNAL + ".sql");
        mayUse(INTERNAL + ".engine", INTERNAL + ".function", INTERNAL + ".sql");
        mayUse(
                INTERNAL + ".stream",
                EMULATOR + ".control",
                INTERNAL + ".schema",
                INTERNAL + ".streamsql",
                INTERNAL + ".sql");
        mayUse(
                INTERNAL + ".database",
                EMULATOR + ".control",
                INTERNAL + ".engine",
                INTERNAL + ".stream",
                INTERNAL + ".streamsql",
                INTERNAL + ".schema",
                INTERNAL + ".function",
                INTERNAL + ".sql");
        mayUse(
                INTERNAL + ".upstream",
                EMULATOR + ".control",
                INTERNAL + ".database",
                INTERNAL + ".stream",
                INTERNAL + ".streamsql",
                INTERNAL + ".schema",
                INTERNAL + ".sql");
        mayUse(
                INTERNAL + ".server",
                EMULATOR + ".control",
                INTERNAL + ".upstream",
                INTERNAL + ".database",
                INTERNAL + ".stream",
                INTERNAL + ".streamsql",
                INTERNAL + ".sql");
    }

    @Test
    void only_the_database_knows_the_embedded_engine() {
        noClasses()
                .that(resideInAnyPackage(INTERNAL + ".database", INTERNAL + ".engine")
                        .negate())
                .should()
                .dependOnClassesThat(resideInAnyPackage("java.sql..", "org.h2.engine..", "org.h2.jdbc.."))
                .check(CLASSES);
    }

    @Test
    void a_package_has_at_most_40_types() {
        assertThat(CLASSES.stream()
                        .filter(type -> type.getEnclosingClass().isEmpty()
                                && !type.getSimpleName().equals("package-info"))
                        .map(JavaClass::getPackageName)
                        .collect(Collectors.groupingBy(Function.identity(), Collectors.counting())))
                .hasSize(12)
                .allSatisfy((name, types) -> assertThat(types).as(name).isLessThanOrEqualTo(40));
    }

    private static void mayUse(String name, String... others) {
        String[] ours = Stream.concat(Stream.of(name), Arrays.stream(others)).toArray(String[]::new);
        classes()
                .that(resideInAPackage(name))
                .should()
                .onlyDependOnClassesThat(
                        resideInAPackage("dev.spream..").negate().or(resideInAnyPackage(ours)))
                .check(CLASSES);
    }
}
