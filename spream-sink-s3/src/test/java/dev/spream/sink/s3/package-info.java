/** The sink against S3Proxy, an object store with the API of S3, in this process or in one that is killed. */
@NullMarked
package dev.spream.sink.s3;

import org.jspecify.annotations.NullMarked;
