// Code that a user of the exported clients writes. That it compiles is half of the test.
import assert from 'node:assert/strict';
import { BadInputError, ConflictError, NotFoundError, NotSignedInError, SiteCatalogClient, type Site } from './site-catalog.js';
import { AuthzClient, ConflictError as AuthzConflict } from './authz.js';

type Where = { url: string; apiKey: string };

export const cases: Record<string, (where: Where) => Promise<void>> = {
  async 'an item comes back typed'(where) {
    const client = new SiteCatalogClient(where);
    const made = await client.createSite({ url: 'https://example.com/', title: 'Typed', tags: ['typed'] });
    const site: Site = (await client.site({ siteId: made.item.siteId })).item;
    assert.equal(site.title, 'Typed');
    const changed = await client.updateSite({ siteId: site.siteId, description: 'more', tags: null });
    assert.equal(changed.item.description, 'more');
    assert.equal(changed.item.tags, undefined);
  },

  async 'a list is walked over all its pages'(where) {
    const client = new SiteCatalogClient(where);
    const made: string[] = [];
    for (let i = 0; i < 5; ++i)
      made.push((await client.createSite({ url: 'https://example.com/', title: `Site ${i}`, tags: ['walked'] })).item.siteId);
    const seen: string[] = [];
    for await (const one of client.sitesByTag({ tag: 'walked', limit: 2 })) seen.push(one.siteId);
    assert.deepEqual(seen.sort(), made.sort());
    const page = await client.sites({ limit: 2 }).page();
    assert.equal(page.items.length, 2);
    assert.ok(page.next);
    assert.equal((await client.sites({ limit: 2 }).page(page.next)).items.length, 2);
    assert.ok((await client.sites({ limit: 1000 }).all()).length >= 5);
  },

  async 'refusals are exceptions by class'(where) {
    const client = new SiteCatalogClient(where);
    await assert.rejects(client.site({ siteId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }), NotFoundError);
    await assert.rejects(client.createSite({ url: 'no url', title: '' }), (error: unknown) => {
      assert.ok(error instanceof BadInputError);
      assert.deepEqual(error.errors.map((fault) => fault.field).sort(), ['title', 'url']);
      assert.equal(error.retryable, false);
      return true;
    });
    await assert.rejects(new SiteCatalogClient({ url: where.url }).createSite({ url: 'https://a.example/', title: 'x' }), NotSignedInError);
    await client.createGroup({ name: 'twice' });
    await assert.rejects(client.createGroup({ name: 'twice' }), ConflictError);
    const authz = new AuthzClient(where);
    const name = `tenant ${Date.now()}`;
    await authz.createTenant({ name });
    await assert.rejects(authz.createTenant({ name }), AuthzConflict);
  },

  async 'the same idempotency key does nothing twice'(where) {
    const client = new SiteCatalogClient(where);
    const inputs = { url: 'https://example.com/', title: 'once', tags: ['only-once'] };
    const first = await client.createSite(inputs, { idempotencyKey: 'ts-1' });
    const again = await client.createSite(inputs, { idempotencyKey: 'ts-1' });
    assert.deepEqual(again, first);
    assert.equal((await client.sitesByTag({ tag: 'only-once' }).all()).length, 1);
  },
};
