import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOfClaim, roleOf } from './roles-claim.ts';

const roles = { staff: 'read-only', desk: 'support' } as const;

test('roles are found under the name of the claim, dots and all, and else where the path leads (fault row 105)', () => {
  const ofRealm = { realm_access: { roles: ['staff', 'desk'] } };
  assert.equal(roleOf(ofRealm, { rolesClaim: 'realm_access.roles', roles }), 'support');
  const ofClient = { resource_access: { mdapi: { roles: 'staff' } } };
  assert.equal(roleOf(ofClient, { rolesClaim: 'resource_access.mdapi.roles', roles }), 'read-only');
  const named = { 'https://example.com/roles': ['desk'], https: { '//example': { 'com/roles': 'staff' } } };
  assert.equal(roleOf(named, { rolesClaim: 'https://example.com/roles', roles }), 'support');
});

test('a path leads to own members of objects alone', () => {
  for (const rolesClaim of ['realm.roles.length', 'realm.constructor.name', 'realm.other', 'realm.', 'toString']) {
    assert.equal(roleOf({ realm: { roles: 'staff' } }, { rolesClaim, roles }), undefined, rolesClaim);
  }
});

test('what is found in place of a role is named by its kind, and no value of a person is (fault row 105)', () => {
  const kinds = [
    [{}, /^nothing: no such claim/],
    [{ groups: 'tennis' }, /^a text that admin\.oidc\.roles does not have$/],
    [{ groups: ['tennis'] }, /^a list of 1 text, none of which admin\.oidc\.roles has$/],
    [{ groups: [] }, /^an empty list$/],
    [{ groups: [['staff'], 'tennis'] }, /^a list of 2, of which 1 are no texts$/],
    [{ groups: { staff: true } }, /^an object: name its member, as in groups\.roles$/],
    [{ groups: 7 }, /^a number, not a text$/],
    [{ groups: null }, /^null$/],
  ] as const;
  for (const [claims, kind] of kinds) {
    assert.match(kindOfClaim(claims, 'groups'), kind);
    assert.doesNotMatch(kindOfClaim(claims, 'groups'), /tennis/);
  }
});
