package dev.spream.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rules of the command line: groups of commands that know each other not, over a few packages that know no command. */
final class ArchitectureTest {
    private static final String CLI = "dev.spream.cli";
    private static final int MOST_TYPES = 40;
    private static final List<String> GROUPS =
            List.of("dashboard", "deadletter", "lock", "outbox", "partition", "projection", "subscription");
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(CLI);

    @Test
    void packages_are_free_of_cycles() {
        slices().matching("dev.spream.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void shared_packages_depend_on_inner_packages_only() {
        mayUse("output").check(CLASSES);
        mayUse("command", "output").check(CLASSES);
        mayUse("http", "output").check(CLASSES);
        mayUse("panel", "command", "http", "output").check(CLASSES);
        mayUse("service", "command", "http").check(CLASSES);
        mayUse("storage", "command").check(CLASSES);
    }

    @Test
    void a_group_of_commands_is_used_by_the_whole_command_alone() {
        GROUPS.forEach(group -> noClasses()
                .that()
                .resideOutsideOfPackages(CLI, inside(group))
                .should()
                .dependOnClassesThat(resideInAPackage(inside(group)))
                .check(CLASSES));
    }

    @Test
    void a_group_of_commands_works_with_its_own_capability() {
        knowsOnly("lock", "dev.spream.lock..").check(CLASSES);
        knowsOnly("outbox", "dev.spream.outbox..").check(CLASSES);
        knowsOnly("projection", "dev.spream.projection..").check(CLASSES);
        Stream.of("dashboard", "deadletter", "partition", "subscription", "storage")
                .forEach(group -> knowsOnly(group, "dev.spream.core..").check(CLASSES));
    }

    @Test
    void of_a_group_its_commands_alone_are_public() {
        assertThat(CLASSES.stream()
                        .filter(type -> GROUPS.contains(lastPart(type.getPackageName())))
                        .filter(type -> type.getModifiers().contains(PUBLIC))
                        .filter(type -> type.getEnclosingClass().isEmpty())
                        .map(JavaClass::getSimpleName))
                .containsExactlyInAnyOrder(
                        "CleanupCommand",
                        "DashboardCommand",
                        "DeadLettersCommand",
                        "ExportCommand",
                        "GraphCommand",
                        "LocksCommand",
                        "OutboxCommand",
                        "PartitionsCommand",
                        "ProjectionCommand",
                        "RunCommand",
                        "SubscriptionCommand",
                        "TailCommand",
                        "VerifyCommand");
    }

    @Test
    void every_package_is_known_to_these_rules_and_can_be_overlooked() {
        Map<String, Long> types = CLASSES.stream()
                .filter(type -> type.getEnclosingClass().isEmpty())
                .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
        assertThat(types.keySet())
                .containsExactlyInAnyOrderElementsOf(Stream.concat(
                                Stream.of(CLI),
                                Stream.concat(
                                                GROUPS.stream(),
                                                Stream.of("command", "http", "output", "panel", "service", "storage"))
                                        .map(name -> CLI + "." + name))
                        .toList());
        assertThat(types.values()).allMatch(count -> count <= MOST_TYPES);
    }

    @Test
    void the_rules_notice_a_dependency_that_is_not_allowed() {
        assertThatThrownBy(() -> mayUse("service", "command").check(CLASSES))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(CLI + ".http");
        assertThatThrownBy(() -> knowsOnly("outbox", "dev.spream.lock..").check(CLASSES))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("dev.spream.outbox");
    }

    private static ArchRule mayUse(String name, String... others) {
        String[] allowed = Stream.concat(Stream.of(name), Stream.of(others))
                .map(ArchitectureTest::inside)
                .toArray(String[]::new);
        return noClasses()
                .that(resideInAPackage(inside(name)))
                .should()
                .dependOnClassesThat(resideInAPackage(CLI + "..")
                        .and(resideInAnyPackage(allowed).negate())
                        .as("others of " + CLI));
    }

    /** Of the cores this one alone, beside the kernel, which also has the records of change streams. */
    private static ArchRule knowsOnly(String group, String core) {
        return classes()
                .that(resideInAPackage(inside(group)))
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage("dev.spream.core..", core)
                        .or(resideInAnyPackage("dev.spream.lock..", "dev.spream.outbox..", "dev.spream.projection..")
                                .negate()));
    }

    private static String inside(String name) {
        return CLI + "." + name + "..";
    }

    private static String lastPart(String packageName) {
        return packageName.substring(packageName.lastIndexOf('.') + 1);
    }
}
