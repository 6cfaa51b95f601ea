package dev.spream.browser;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests of the search page of the vocabulary service, by the input of a user. */
final class VocabularyPageIT {
    private static final String TYPE = """
            const field = document.getElementById(arguments[0]);
            field.focus();
            field.value = arguments[1];
            field.dispatchEvent(new Event("input", {bubbles: true}));
            return true;""";
    private static final String SHOWS = """
            return document.body.dataset.state === "shown" && document.body.dataset.query === arguments[0]
                && document.querySelectorAll("#results li[data-item]").length > 0;""";

    @SuppressWarnings("NullAway.Init")
    private static ExampleProgram program;

    @SuppressWarnings("NullAway.Init")
    private static Chromium browser;

    @BeforeAll
    static void start() throws Exception {
        program = ExampleProgram.start("dev.spream.examples.vocabulary.VocabularyProgram");
        browser = Chromium.start();
    }

    /** A signal to end ends the program without an error. */
    @AfterAll
    static void end() throws Exception {
        browser.close();
        try (ExampleProgram ending = program) {
            ending.terminate();
            assertThat(ending.exitCode()).as("%s", ending.said()).isZero();
        }
    }

    @Test
    void words_are_found_as_they_are_typed_and_shown_with_what_is_known_of_them() throws Exception {
        URI page = program.page();
        browser.open(page);
        browser.await("sample words", "return document.querySelectorAll('#results li[data-item]').length > 5");

        browser.run(TYPE, "q", "wat");
        browser.await("words for what is not typed to its end", SHOWS, "wat");
        assertThat(browser.run("return location.search")).isEqualTo("?q=wat");
        assertThat(text(browser, "#results .word")).isEqualTo("水");
        assertThat(text(browser, "#results .reading")).isEqualTo("みず");
        assertThat(text(browser, "#results .definition")).contains("water");
        assertThat(text(browser, "#results .difficulty")).isNotEmpty();
        assertThat(text(browser, "#results .categories")).contains("food");
        browser.screenshot("vocabulary-search");

        browser.run(TYPE, "q", "みず");
        browser.await("words by their reading", SHOWS, "みず");
        browser.run(TYPE, "difficulty", "elementary");
        browser.await("those of a difficulty alone", """
                const shown = [...document.querySelectorAll("#results .difficulty")];
                return shown.length > 0 && shown.every(each => each.textContent === "elementary");""");
        browser.run(TYPE, "difficulty", "");
        browser.run(TYPE, "q", "zzzz");
        browser.await("word that there is nothing", """
                return document.getElementById("status").textContent === "Nothing found.";""");

        browser.run(TYPE, "q", "");
        browser.prefer("prefers-color-scheme", "dark");
        browser.becomePhone(390, 844);
        browser.await("all words", "return document.querySelectorAll('#results li[data-item]').length > 5");
        assertThat(browser.run("return document.documentElement.scrollWidth <= window.innerWidth"))
                .as("nothing to scroll to the side for")
                .isEqualTo(true);
        browser.screenshot("vocabulary-phone");

        assertThat(browser.complaints()).isEmpty();
        assertThat(browser.requests()).allMatch(address -> address.startsWith(page.toString()));
        for (String labelled : List.of("q", "difficulty", "part_of_speech", "category")) {
            assertThat(browser.run("return document.getElementById(arguments[0]).labels.length", labelled))
                    .as("labels of " + labelled)
                    .isEqualTo(1L);
        }
    }

    @Test
    void the_address_has_the_query_and_the_page() throws Exception {
        browser.open(URI.create(program.page() + "?q=water&difficulty=elementary"));
        browser.await("the search of the address", """
                return document.body.dataset.state === "shown" && document.getElementById("q").value === "water"
                    && document.getElementById("difficulty").value === "elementary";""");
        browser.open(program.page());
        browser.await("the first page", "return document.querySelectorAll('#results li[data-item]').length === 20");
        Object first = browser.run("return document.querySelector('#results li').dataset.item");
        browser.run("document.getElementById('next').click(); return true");
        browser.await("the second page", """
                return location.search === "?page=2" && document.getElementById("page").textContent.startsWith("Page 2 of ")
                    && document.body.dataset.state === "shown"
                    && document.querySelector("#results li").dataset.item !== arguments[0];""", first);
        browser.run("history.back(); return true");
        browser.await("the first page again", """
                return location.search === "" && document.body.dataset.state === "shown"
                    && document.querySelector("#results li").dataset.item === arguments[0];""", first);
    }

    private static String text(Chromium browser, String selector) {
        return String.valueOf(browser.run("return document.querySelector(arguments[0]).textContent", selector));
    }
}
