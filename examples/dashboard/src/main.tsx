import { ApolloClient } from '@apollo/client';
import { ApolloProvider } from '@apollo/client/react';
import { curvetCache, curvetLink } from 'curvet-client/apollo';
import { createRoot } from 'react-dom/client';
import { Dashboard } from './dashboard';

const client = new ApolloClient({ cache: curvetCache(), link: curvetLink({ baseUrl: '' }) });

createRoot(document.body).render(
  <ApolloProvider client={client}>
    <Dashboard />
  </ApolloProvider>,
);
