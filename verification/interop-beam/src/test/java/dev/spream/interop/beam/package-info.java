/** The rule of the pipeline: it stands alone. */
@NullMarked
package dev.spream.interop.beam;

import org.jspecify.annotations.NullMarked;
