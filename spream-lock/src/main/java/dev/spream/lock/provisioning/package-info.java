/**
 * What locks are taken on, made and checked for operators: {@link dev.spream.lock.provisioning.BucketProvisioning} is the port.
 */
@NullMarked
package dev.spream.lock.provisioning;

import org.jspecify.annotations.NullMarked;
