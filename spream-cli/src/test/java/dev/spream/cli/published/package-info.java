/**
 * Tests of the published artefacts: their poms, the BOM, their size and dependencies, and the language of their sources and of the
 * glossary.
 */
@NullMarked
package dev.spream.cli.published;

import org.jspecify.annotations.NullMarked;
