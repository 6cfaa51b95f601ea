/**
 * The contracts of projection stores: {@link dev.spream.testkit.projection.ProjectionStoreContract}, {@link
 * dev.spream.testkit.projection.ProjectionOperationsContract} and {@link
 * dev.spream.testkit.projection.ProjectionRebuildsContract}, which authors of a store extend with a {@link
 * dev.spream.testkit.projection.ProjectionStoreFixture}.
 */
@NullMarked
package dev.spream.testkit.projection;

import org.jspecify.annotations.NullMarked;
