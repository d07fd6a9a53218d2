import { useState } from 'preact/hooks';
import { type Api, type BrowserEnvironment, createApi } from './api/call-api.ts';
import type { Account } from './api/wire-types.ts';
import type { PageSettings } from './session.tsx';
import { Shell } from './shell.tsx';
import { SignIn } from './sign-in.tsx';

/** Where a key is kept that the reader wants remembered: until the tab is closed. */
const rememberedKey = 'console-key';

/** The key is in the memory of this component, and in the storage of the tab only where that is ticked. */
export function App({
  environment,
  settings,
}: {
  environment: BrowserEnvironment;
  settings: PageSettings;
}) {
  const [signedIn, setSignedIn] = useState<{ api: Api; account: Account } | null>(null);
  const [remembered, setRemembered] = useState(() => sessionStorage.getItem(rememberedKey));
  if (signedIn !== null) {
    return (
      <Shell
        {...signedIn}
        settings={settings}
        onLeave={() => {
          sessionStorage.removeItem(rememberedKey);
          setRemembered(null);
          setSignedIn(null);
        }}
      />
    );
  }
  return (
    <SignIn
      openApi={(key) => createApi(key, environment)}
      remembered={remembered}
      settings={settings}
      onSignIn={({ key, isRemembered, ...opened }) => {
        if (isRemembered) sessionStorage.setItem(rememberedKey, key);
        else sessionStorage.removeItem(rememberedKey);
        setSignedIn(opened);
      }}
    />
  );
}
