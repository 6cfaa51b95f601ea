package dev.spream.api.plugin;

import dev.spream.lock.BucketProvisioning;
import dev.spream.lock.LockLayout;
import dev.spream.lock.LockSpaceCheck;

/** A plug-in's provisioning, called in its scope; who is told of its progress is called as the host was. */
record ScopedProvisioning(BucketProvisioning target, CallScope scope) implements BucketProvisioning {
    @Override
    public LockLayout layout() {
        return scope.call(target::layout);
    }

    @Override
    public Provisioned provision(Progress progress) throws InterruptedException {
        Progress ofHost = ofHost(progress);
        return scope.call(() -> target.provision(ofHost));
    }

    @Override
    public void clear() {
        scope.run(target::clear);
    }

    @Override
    public LockSpaceCheck check(Progress progress) throws InterruptedException {
        Progress ofHost = ofHost(progress);
        return scope.call(() -> target.check(ofHost));
    }

    @Override
    public void close() {
        scope.run(target::close);
    }

    private static Progress ofHost(Progress progress) {
        CallScope host = CallScope.ofThisThread();
        return (done, all) -> host.run(() -> progress.reached(done, all));
    }
}
