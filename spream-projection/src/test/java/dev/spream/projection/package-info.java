/**
 * Tests of projections, and the contracts of their stores: {@link dev.spream.projection.ProjectionStoreContract} and {@link
 * dev.spream.projection.ProjectionOperationsContract}, which authors of a store extend and provide a {@link
 * dev.spream.projection.ProjectionStoreFixture} for. The contracts have tests of their own: they must fail for what does
 * not keep them. Beside them are the tests of the manager.
 */
@NullMarked
package dev.spream.projection;

import org.jspecify.annotations.NullMarked;
