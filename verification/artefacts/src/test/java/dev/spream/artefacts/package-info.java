/** Tests of the published artefacts: their poms, the BOM, their size and what they bring along. */
@NullMarked
package dev.spream.artefacts;

import org.jspecify.annotations.NullMarked;
