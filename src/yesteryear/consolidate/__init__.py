"""What happens to memories over time: they fade, within bounds, and useful recall keeps them."""
