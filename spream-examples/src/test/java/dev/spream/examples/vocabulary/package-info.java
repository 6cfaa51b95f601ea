/**
 * The vocabulary service, by its parts and whole: {@link dev.spream.examples.vocabulary.ReadModelJudge} says what must hold of the
 * read model, whatever commands there were and however their events came.
 */
@NullMarked
package dev.spream.examples.vocabulary;

import org.jspecify.annotations.NullMarked;
