import { identityId, parseEgressName } from './egress-name.domain.ts';

describe('an egress name', () => {
  it.each([
    ['direct', 'direct'],
    ['direct:127.0.0.2', 'direct:127.0.0.2'],
    ['http://proxy.example:3128', 'proxy:proxy.example:3128'],
    ['https://eu-1:s3cret%40@proxy.example:8443', 'proxy:eu-1@proxy.example:8443'],
  ])('%s makes the identity %s, without its password', (name, id) => {
    const egress = parseEgressName(name);
    expect(egress && identityId(egress)).toBe(id);
  });

  it('keeps the password for the proxy alone', () => {
    expect(parseEgressName('http://eu-1:s3cret%40@proxy.example')).toMatchObject({
      user: 'eu-1',
      password: 's3cret@',
    });
  });

  it.each(['', 'indirect', 'direct:', 'direct:not an address', 'ftp://proxy', 'proxy:3128'])(
    'refuses %p',
    (name) => {
      expect(parseEgressName(name)).toBeNull();
    },
  );
});
