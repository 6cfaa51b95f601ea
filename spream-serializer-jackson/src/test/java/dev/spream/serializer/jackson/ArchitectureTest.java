package dev.spream.serializer.jackson;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Tests of the dependencies of the serializer: Jackson, and of spream the port alone. */
final class ArchitectureTest {
    @Test
    void jackson_and_the_port_are_all_that_is_used() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java.lang..",
                        "java.util..",
                        "dev.spream.core.serialization",
                        "dev.spream.serializer.jackson",
                        "org.jspecify..",
                        "tools.jackson.."))
                .check(new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("dev.spream.serializer.jackson"));
    }
}
