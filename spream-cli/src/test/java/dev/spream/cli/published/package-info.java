/** Tests of the language of sources and documents, of the glossary, and of the map of the code. */
@NullMarked
package dev.spream.cli.published;

import org.jspecify.annotations.NullMarked;
