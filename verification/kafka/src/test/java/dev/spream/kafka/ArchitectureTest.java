package dev.spream.kafka;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Tests that the broker can be started by a program without its libraries. */
final class ArchitectureTest {
    @Test
    void only_the_program_of_the_process_uses_the_broker() {
        noClasses()
                .that()
                .doNotHaveSimpleName("KafkaProcess")
                .should()
                .dependOnClassesThat(resideInAnyPackage("kafka..", "org.apache.kafka..", "scala.."))
                .check(new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("dev.spream.kafka"));
    }
}
