package dev.spream.flink;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Tests of the dependencies of the Flink source. */
final class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.spream.flink");

    @Test
    void the_core_the_spanner_source_and_flink_are_all_that_is_used() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java.lang..",
                        "java.io..",
                        "java.math..",
                        "java.nio..",
                        "java.time..",
                        "java.util..",
                        "dev.spream.core..",
                        "dev.spream.flink..",
                        "dev.spream.storage.spanner",
                        "org.apache.flink..",
                        "org.jspecify..",
                        "org.slf4j.."))
                .check(CLASSES);
    }

    @Test
    void a_job_without_the_table_api_does_not_load_it() {
        noClasses()
                .that()
                .resideInAPackage("dev.spream.flink")
                .should()
                .dependOnClassesThat(resideInAnyPackage("dev.spream.flink.table", "org.apache.flink.table.."))
                .check(CLASSES);
    }

    @Test
    void only_what_a_job_names_is_public() {
        assertThat(CLASSES.stream()
                        .filter(type -> type.getModifiers().contains(PUBLIC))
                        .filter(type -> type.getEnclosingClass().isEmpty())
                        .map(JavaClass::getSimpleName))
                .containsExactlyInAnyOrder(
                        "ChangeDeserializationSchema",
                        "ChangeStreamSourceFactory",
                        "ChangeStreamTableFactory",
                        "EnumeratorState",
                        "FlinkChangeStreamSource",
                        "JobSavepoint",
                        "PartitionSplit",
                        "SpannerStream",
                        "SpannerSubscription",
                        "StoredSubscription");
    }
}
