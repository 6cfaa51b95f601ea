/** Tests of what is published: the poms, the BOM and the size of each artefact, and what the artefact brings along. */
@NullMarked
package dev.spream.cli.published;

import org.jspecify.annotations.NullMarked;
