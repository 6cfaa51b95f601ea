package dev.spream.servers;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Servers of tests know no adapter: they are what adapters are tested on. */
final class ArchitectureTest {
    @Test
    void no_adapter_is_known() {
        noClasses()
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "dev.spream.storage..",
                        "dev.spream.sink..",
                        "dev.spream.sinks..",
                        "dev.spream.search..",
                        "dev.spream.api.."))
                .check(new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages("dev.spream.servers"));
    }
}
