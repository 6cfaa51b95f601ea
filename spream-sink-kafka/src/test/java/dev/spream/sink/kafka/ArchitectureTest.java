package dev.spream.sink.kafka;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/**
 * Tests of the dependencies of sink and sender: of spream, only those that a plug-in from the folder can
 * use.
 */
final class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.spream.sink.kafka");

    @Test
    void the_ports_the_spi_and_the_client_are_all_that_is_used() {
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
                        "dev.spream.outbox..",
                        "dev.spream.core.partition..",
                        "dev.spream.core.record..",
                        "dev.spream.api.format..",
                        "dev.spream.api.publish..",
                        "dev.spream.api.spi..",
                        "dev.spream.sink.kafka..",
                        "com.google.auto.service..",
                        "org.apache.kafka..",
                        "org.jspecify..",
                        "org.slf4j.."))
                .check(CLASSES);
    }

    @Test
    void the_providers_alone_are_public() {
        assertThat(CLASSES.stream()
                        .filter(type -> type.getModifiers().contains(PUBLIC))
                        .filter(type -> type.getEnclosingClass().isEmpty())
                        .map(JavaClass::getSimpleName))
                .containsExactlyInAnyOrder("KafkaSinkProvider", "KafkaSenderProvider");
    }
}
