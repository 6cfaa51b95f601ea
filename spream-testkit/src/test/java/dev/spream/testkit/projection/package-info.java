/** Tests of the testers of projections. */
@NullMarked
package dev.spream.testkit.projection;

import org.jspecify.annotations.NullMarked;
