/**
 * {@code projection}: the commands for projections and their versions. Start with
 * {@link dev.spream.cli.projection.ProjectionCommand}.
 */
@NullMarked
package dev.spream.cli.projection;

import org.jspecify.annotations.NullMarked;
