package dev.spream.artefacts;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** No artefact grows unseen, nor what it brings along. With FOOTPRINT_WRITE set, the page gets what is measured. */
final class FootprintIT {
    private static final Path PAGE = Path.of("../../docs/footprint.md");
    private static final String BEGIN = "<!-- footprint: begin -->\n";
    private static final String END = "<!-- footprint: end -->\n";
    private static final String HEAD = "| Artefact | Its jar | Jars it brings | All together |\n|---|---:|---:|---:|\n";
    private static final String ACCEPT = "what is not as docs/footprint.md has it. If it is meant: FOOTPRINT_WRITE=true"
            + " mvn -pl verification/artefacts -am -Dtest=PomsTest -Dit.test=FootprintIT -Dsurefire.failIfNoSpecifiedTests=false"
            + " -Dfailsafe.failIfNoSpecifiedTests=false verify, and commit the page";

    @Test
    void every_artefact_is_as_large_as_recorded_and_brings_the_same_libraries() throws IOException {
        List<Footprint> measured =
                Pom.published().stream().map(Footprint::measured).toList();
        if (System.getenv("FOOTPRINT_WRITE") != null) {
            write(measured);
        }
        String page = Files.readString(PAGE);
        assertThat(measured).isNotEmpty();
        assertThat(measured.stream()
                        .flatMap(footprint -> Footprint.recorded(footprint.artifact(), page)
                                .map(recorded -> footprint.differences(recorded).stream())
                                .orElseGet(() -> Stream.of(footprint.artifact() + " is not recorded"))))
                .as(ACCEPT)
                .isEmpty();
    }

    private static void write(List<Footprint> measured) throws IOException {
        String page = Files.readString(PAGE);
        Files.writeString(
                PAGE,
                page.substring(0, page.indexOf(BEGIN) + BEGIN.length())
                        + HEAD
                        + measured.stream().map(Footprint::row).collect(Collectors.joining())
                        + "\n"
                        + measured.stream().map(Footprint::list).collect(Collectors.joining())
                        + page.substring(page.indexOf(END)));
    }
}
