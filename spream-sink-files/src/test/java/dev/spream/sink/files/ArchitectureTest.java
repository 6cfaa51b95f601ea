package dev.spream.sink.files;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Tests of the dependencies of the sink: the ports, the records and the SPI. */
final class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.spream.sink.files");

    @Test
    void the_ports_and_the_spi_are_all_that_is_used() {
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
                        "dev.spream.core.partition..",
                        "dev.spream.core.record..",
                        "dev.spream.api.format..",
                        "dev.spream.api.spi..",
                        "dev.spream.sink.files..",
                        "org.jspecify..",
                        "org.slf4j.."))
                .check(CLASSES);
    }

    @Test
    void that_which_users_and_stores_need_is_public() {
        assertThat(CLASSES.stream()
                        .filter(type -> type.getModifiers().contains(PUBLIC))
                        .filter(type -> type.getEnclosingClass().isEmpty())
                        .map(JavaClass::getSimpleName))
                .containsExactlyInAnyOrder(
                        "CommittedFile",
                        "FilesKeys",
                        "FilesReader",
                        "LocalStore",
                        "ObjectStore",
                        "ObjectStoreException");
    }
}
