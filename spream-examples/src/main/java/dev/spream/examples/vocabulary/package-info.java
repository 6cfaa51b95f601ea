/**
 * A vocabulary of words in another language, whose entries are events: {@link
 * dev.spream.examples.vocabulary.VocabularyService} takes commands over HTTP, appends one event for each, and follows
 * the events with two projections, a read model in PostgreSQL and a search index. Read {@link
 * dev.spream.examples.vocabulary.EntryCommands} for the write side, and {@link
 * dev.spream.examples.vocabulary.VocabularyReadModel} for the read side.
 */
@NullMarked
package dev.spream.examples.vocabulary;

import org.jspecify.annotations.NullMarked;
