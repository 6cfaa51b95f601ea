package dev.spream.sink.s3;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Tests of the dependencies of the sink: of spream, only those that a plug-in from the folder can use or bring along. */
final class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.spream.sink.s3");

    @Test
    void the_spi_the_files_sink_and_the_client_are_all_that_is_used() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java.lang..",
                        "java.io..",
                        "java.net..",
                        "java.nio..",
                        "java.security..",
                        "java.time..",
                        "java.util..",
                        "dev.spream.core",
                        "dev.spream.core.consume..",
                        "dev.spream.api.spi..",
                        "dev.spream.sink.files..",
                        "dev.spream.sink.s3..",
                        "com.google.auto.service..",
                        "software.amazon.awssdk..",
                        "org.jspecify..",
                        "org.slf4j.."))
                .check(CLASSES);
    }

    @Test
    void the_provider_and_the_store_alone_are_public() {
        assertThat(CLASSES.stream()
                        .filter(type -> type.getModifiers().contains(PUBLIC))
                        .filter(type -> type.getEnclosingClass().isEmpty())
                        .map(JavaClass::getSimpleName))
                .containsExactlyInAnyOrder("S3SinkProvider", "S3Store");
    }
}
