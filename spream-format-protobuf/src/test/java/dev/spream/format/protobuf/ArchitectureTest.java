package dev.spream.format.protobuf;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Tests of the dependencies of the format: of spream, only those that a plug-in from the folder can use. */
final class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.spream.format.protobuf");

    @Test
    void the_records_the_spi_and_protobuf_are_all_that_is_used() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java.lang..",
                        "java.io..",
                        "java.math..",
                        "java.net..",
                        "java.nio..",
                        "java.security..",
                        "java.time..",
                        "java.util..",
                        "dev.spream.core",
                        "dev.spream.core.consume..",
                        "dev.spream.core.partition..",
                        "dev.spream.core.record..",
                        "dev.spream.api.spi..",
                        "dev.spream.format.protobuf..",
                        "dev.spream.format.schema..",
                        "com.google.auto.service..",
                        "com.google.protobuf..",
                        "org.jspecify..",
                        "org.slf4j.."))
                .check(CLASSES);
    }

    @Test
    void the_provider_alone_is_public() {
        assertThat(CLASSES.stream()
                        .filter(type -> type.getModifiers().contains(PUBLIC))
                        .filter(type -> type.getEnclosingClass().isEmpty())
                        .map(JavaClass::getSimpleName))
                .containsExactly("ProtobufFormatProvider");
    }
}
