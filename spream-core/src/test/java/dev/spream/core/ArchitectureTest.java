package dev.spream.core;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The hexagon as rules: what the core may use, and which of its packages may use which. */
final class ArchitectureTest {
    private static final String CORE = "dev.spream.core";
    private static final JavaClasses CORE_CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(CORE);

    @Test
    void the_core_depends_on_the_jdk_slf4j_jspecify_and_itself() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage("java..", "org.slf4j..", "org.jspecify..", CORE + ".."))
                .check(CORE_CLASSES);
    }

    @Test
    void the_core_uses_no_database_no_network_and_no_files() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "java.sql..", "javax..", "java.net..", "java.nio.file..", "java.nio.channels..", "java.rmi.."))
                .check(CORE_CLASSES);
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.io\\.(File|RandomAccess).*")
                .check(CORE_CLASSES);
    }

    @Test
    void packages_are_free_of_cycles() {
        slices().matching("dev.spream.(**)").should().beFreeOfCycles().check(CORE_CLASSES);
    }

    @Test
    void a_package_holds_at_most_40_types() {
        Map<String, Long> sizes = CORE_CLASSES.stream()
                .filter(type -> type.getEnclosingClass().isEmpty())
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
        assertThat(sizes).allSatisfy((name, size) -> assertThat(size).as(name).isLessThanOrEqualTo(40));
    }

    @Test
    void packages_use_only_those_that_are_further_in() {
        mayUse("record").check(CORE_CLASSES);
        mayUse("partition", "record").check(CORE_CLASSES);
        mayUse("source", "partition", "record").check(CORE_CLASSES);
        mayUse("consume", "internal", "partition", "record").check(CORE_CLASSES);
        mayUse("internal").check(CORE_CLASSES);
        mayUse("serialization", "record").check(CORE_CLASSES); // for its JSON
        mayUse("subscription", "internal", "consume", "source", "partition", "record")
                .check(CORE_CLASSES);
    }

    @Test
    void the_root_package_uses_nothing_below_it() {
        noClasses()
                .that(resideInAPackage(CORE))
                .should()
                .dependOnClassesThat(resideInAPackage(CORE + ".*.."))
                .check(CORE_CLASSES);
    }

    @Test
    void the_engine_and_its_inner_packages_are_used_by_it_alone() {
        noClasses()
                .that(describe("are outside the engine", type -> !inEngine(type)))
                .should()
                .dependOnClassesThat(describe("are in the engine", ArchitectureTest::inEngine))
                .check(CORE_CLASSES);
    }

    @Test
    void of_the_engine_only_what_a_user_touches_is_public() {
        List<String> visible = CORE_CLASSES.stream()
                .filter(type -> type.getPackageName().equals(CORE + ".subscription"))
                .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
                .filter(type -> type.getEnclosingClass().isEmpty())
                .map(JavaClass::getSimpleName)
                .sorted()
                .toList();
        assertThat(visible)
                .containsExactly(
                        "CompletionReason",
                        "ConsumerException",
                        "DecodingFailure",
                        "PartitionProgress",
                        "RetentionLoss",
                        "Subscriber",
                        "SubscriberOptions",
                        "SubscriptionException",
                        "SubscriptionListener",
                        "SubscriptionView");
    }

    @Test
    void every_package_is_known_to_these_rules() {
        assertThat(CORE_CLASSES.stream().map(JavaClass::getPackageName))
                .containsOnly(
                        CORE,
                        CORE + ".record",
                        CORE + ".partition",
                        CORE + ".source",
                        CORE + ".consume",
                        CORE + ".internal",
                        CORE + ".serialization",
                        CORE + ".subscription",
                        CORE + ".subscription.inflight",
                        CORE + ".subscription.lease",
                        CORE + ".subscription.reading",
                        CORE + ".subscription.transaction");
        assertThat(new TreeSet<>(
                        CORE_CLASSES.stream().map(JavaClass::getPackageName).toList()))
                .hasSize(12);
    }

    @Test
    void the_rules_notice_a_dependency_that_is_not_allowed() {
        JavaClasses wrong = new ClassFileImporter().importClasses(ArchitectureTest.class);
        ArchRule rule = classes().should().onlyDependOnClassesThat(resideInAnyPackage("java..", CORE + ".."));
        assertThatThrownBy(() -> rule.check(wrong))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("org.junit.jupiter.api.Test");
        assertThatThrownBy(() -> mayUse("subscription", "record").check(CORE_CLASSES))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(CORE + ".consume");
    }

    private static ArchRule mayUse(String name, String... others) {
        String[] allowed = Stream.concat(
                        Stream.of("java..", "org.slf4j..", "org.jspecify..", CORE, CORE + "." + name + ".."),
                        Arrays.stream(others).map(other -> CORE + "." + other + ".."))
                .toArray(String[]::new);
        return classes()
                .that(resideInAPackage(CORE + "." + name + ".."))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(allowed));
    }

    private static boolean inEngine(JavaClass type) {
        return type.getPackageName().startsWith(CORE + ".subscription");
    }
}
