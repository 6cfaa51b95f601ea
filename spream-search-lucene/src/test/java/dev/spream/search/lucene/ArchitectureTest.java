package dev.spream.search.lucene;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Tests of the engine's dependencies: of spream, only those that a plug-in from the folder can use. */
final class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.spream.search.lucene");

    @Test
    void the_ports_the_spi_and_lucene_are_all_that_is_used() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "java.lang..",
                        "java.io..",
                        "java.math..",
                        "java.net..",
                        "java.nio..",
                        "java.time..",
                        "java.util..",
                        "dev.spream.core",
                        "dev.spream.projection",
                        "dev.spream.core.record",
                        "dev.spream.projection.search",
                        "dev.spream.api.spi..",
                        "dev.spream.search.lucene..",
                        "com.google.auto.service..",
                        "org.apache.lucene..",
                        "org.jspecify.."))
                .check(CLASSES);
    }

    @Test
    void the_engine_and_its_provider_alone_are_public() {
        assertThat(CLASSES.stream()
                        .filter(type -> type.getModifiers().contains(PUBLIC))
                        .filter(type -> type.getEnclosingClass().isEmpty())
                        .map(JavaClass::getSimpleName))
                .containsExactlyInAnyOrder("LuceneSearchEngine", "LuceneSearchEngineProvider");
    }
}
